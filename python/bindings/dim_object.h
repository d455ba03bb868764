// weft.Dim: a size of a traced tensor that is known only when the graph runs.
#pragma once

#include <nanobind/nanobind.h>

#include "weft/core/dim.h"

namespace weft::python {

void add_dim_type(nanobind::module_& m);

// An int if the size is known, else a Dim. A new reference.
PyObject* dim_to_python(Dim dim);
// The size that the object is, if it is a Dim.
std::optional<Dim> dim_in(PyObject* object);
// The size as a number. One that is open is decided by the trace, which notes the user's line.
int64_t value_here(Dim dim);

}  // namespace weft::python
