// Optimizers for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void add_optim(nanobind::module_& m);

}  // namespace weft::python
