// The Python type weft.Variable: a Tensor whose value is read at every use.
#pragma once

#include "bindings/tensor_object.h"
#include "weft/op/variable.h"

namespace weft::python {

void add_variable_type(PyObject* module);
PyObject* wrap_variable(Variable variable);
const Variable& variable_of(PyObject* object);
// Lets go of the values that the objects of these Variables keep, so that they may be written in
// place.
void forget_values(std::span<const Variable> variables);

}  // namespace weft::python
