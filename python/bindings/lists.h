// Flat lists of tensors between Python and C++, and Python functions over them.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/gil.h"
#include "weft/core/tensor.h"

namespace weft::python {

// None stands for an undefined tensor: no gradient, a zero tangent.
Tensors tensors_from(nanobind::handle list, std::string_view who);
nanobind::object listed(Tensors tensors);

// A Python function on flat lists as a C++ one; who calls it may have given up the GIL.
struct Called {
  nanobind::handle function;
  std::string_view who;
  Tensors operator()(TensorSpan in) const {
    const WithGil gil;
    Tensors given(in.begin(), in.end());
    return tensors_from(function(listed(std::move(given))), who);
  }
};

}  // namespace weft::python
