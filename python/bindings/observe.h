// Observers, hooks, pictures of the tape and fingerprints, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void add_observe(nanobind::module_& m);

}  // namespace weft::python
