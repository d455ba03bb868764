// Datasets for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void add_data(nanobind::module_& m);

}  // namespace weft::python
