// The values of tensors as Python needs them: in memory, not under a transformation.
#pragma once

#include "bindings/from_python.h"
#include "weft/op/concrete_value.h"

namespace weft::python {

// What works instead of reading a value while a function is traced.
inline constexpr std::string_view kInsteadOfReading =
    "compute with the tensor itself, return it from the function, or read its value before or "
    "after the call";

// The value in memory, to be shown, saved or branched on. Where there is none, raises
// [tensor.concrete], which says `what` asked for it ("float(x)") and what works inside of vmap and
// while a function is traced.
Tensor value_of(const Tensor& tensor, std::string_view what,
                std::string_view in_vmap = ValueReader{}.in_vmap, std::string_view in_trace = {});

// The same for a number or an array that Python computes with: raises [tensor.gradient] for what
// grad or jvp differentiates.
Tensor constant_of(const Tensor& tensor, std::string_view what);

// An argument as a value in memory.
Tensor argument_value(PyObject* object, Asker asker);

// Raises [tensor.concrete] for what a transformation follows: a copy of it elsewhere would lose
// that.
void require_plain(const Tensor& tensor, std::string_view what);

// Sets the advice in errors of concrete_value to Python's spelling.
void install_value_hints();

}  // namespace weft::python
