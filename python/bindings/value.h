// The values of tensors as Python needs them: in memory, not under a transformation.
#pragma once

#include "bindings/python.h"
#include "weft/core/tensor.h"

namespace weft::python {

// Is there a value under the tensor? Under grad and jvp there is, under vmap there is none.
bool has_value(const Tensor& tensor);

// The value in memory. Where there is none, raises [tensor.concrete], which says `what` asked for
// it ("float(x)") and `instead`, what works there.
Tensor value_of(const Tensor& tensor, std::string_view what,
                std::string_view instead =
                    "return it from the function that vmap runs, or "
                    "compute with ops alone");

// Raises [tensor.gradient] for what grad or jvp differentiates: an array or a number made of it
// would lose that. Tapes let it pass, and so does no_grad: there nothing is recorded anyway.
void require_no_gradient(const Tensor& tensor, std::string_view what);

// Would a gradient flow into the tensor, by a transformation, an open GradientTape or a backward?
// Not if no_grad is on, or an earlier backward has freed its record.
bool is_followed(const Tensor& tensor);

// Raises [tensor.concrete] for what a transformation follows: a copy of it elsewhere would lose
// that.
void require_plain(const Tensor& tensor, std::string_view what);

}  // namespace weft::python
