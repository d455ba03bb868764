// Pictures of training for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void add_pictures(nanobind::module_& m);

}  // namespace weft::python
