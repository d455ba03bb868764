// The number that x.size gives: an int that explains itself to whoever calls it.
#pragma once

#include "bindings/python.h"

namespace weft::python {

void add_size_type(PyObject* module);
PyObject* new_size(int64_t size);

}  // namespace weft::python
