// The Python type weft.Variable: a Tensor whose value is read at every use.
#pragma once

#include "bindings/tensor_object.h"
#include "weft/op/variable.h"

namespace weft::python {

void add_variable_type(PyObject* module);
PyObject* wrap_variable(Variable variable);
const Variable& variable_of(PyObject* object);

}  // namespace weft::python
