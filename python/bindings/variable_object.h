// The Python type weft.Variable: a Tensor whose value is read at every use.
#pragma once

#include "bindings/from_python.h"
#include "bindings/tensor_object.h"
#include "weft/op/variable.h"

namespace weft::python {

void add_variable_type(PyObject* module);
PyObject* wrap_variable(Variable variable);
const Variable& variable_of(PyObject* object);
// What a Variable holds, also where a graph is open, in which a read has no value before a run.
// Other tensors are returned as they are; raises as `tensor_in` does for what is none.
Tensor stored_value(PyObject* object, Asker asker);
// Lets go of the values that the objects of these Variables keep, so that they may be written in
// place.
void forget_values(std::span<const Variable> variables);

}  // namespace weft::python
