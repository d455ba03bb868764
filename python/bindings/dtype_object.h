// The Python objects wf.float32, wf.int64, ...: one for each dtype.
#pragma once

#include "bindings/python.h"
#include "weft/core/dtype.h"

namespace weft::python {

void add_dtypes(PyObject* module);

PyObject* dtype_object(DType dtype);  // borrowed

// Who asks, for errors: `sum: dtype must be ...`.
struct Asker {
  std::string_view op, argument;
};

// wf.float32, "float32", numpy.float32, numpy.dtype("float32"), float, ...; anything else raises.
DType dtype_from(PyObject* object, Asker asker);

}  // namespace weft::python
