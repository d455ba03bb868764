// x.at[key].add(value): functional updates.
#pragma once

#include "bindings/python.h"
#include "weft/ops/shape/advanced_index.h"

namespace weft::python {

// A copy of the tensor `self`, changed at `key`. Errors are thrown.
PyObject* tensor_updated(PyObject* self, PyObject* key, PyObject* value, Update update);

}  // namespace weft::python
