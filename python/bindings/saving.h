// Files of tensors and checkpoints for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void add_saving(nanobind::module_& m);
void add_savers(nanobind::module_& m);

}  // namespace weft::python
