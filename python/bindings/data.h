// Datasets for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void add_data(nanobind::module_& m);
void add_data_sources(nanobind::module_& m);  // of files; and iterators in graphs

}  // namespace weft::python
