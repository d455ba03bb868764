// Sessions, plans and profiles for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void add_sessions(nanobind::module_& m);

}  // namespace weft::python
