// Numbers that a graph computes: what a traced branch or loop makes of Python's.
#pragma once

#include <nanobind/nanobind.h>

#include "weft/core/tensor.h"

namespace weft::python {

void add_numbers(nanobind::module_& m);

// The scalar as a number of the language: weak, and a constant to gradients.
Tensor as_number(const Tensor& x, Where where);

}  // namespace weft::python
