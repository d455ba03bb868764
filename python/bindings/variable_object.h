// The Python type weft.Variable: a Tensor whose value is read at every use.
#pragma once

#include <memory>

#include "bindings/from_python.h"
#include "bindings/tensor_object.h"
#include "weft/op/variable.h"

namespace weft::python {

// The function of a hook, and the one reference to it that counts. The hook shares it with the
// object of its Variable, through which the garbage collector sees the function: it often
// references its own Variable.
struct HookFunction {
  explicit HookFunction(PyObject* function) : function(Py_NewRef(function)) {}
  ~HookFunction();
  HookFunction(const HookFunction&) = delete;
  HookFunction& operator=(const HookFunction&) = delete;

  PyObject* function;  // null once the hook is removed, or was garbage; read with the GIL
};
void show_to_collector(PyObject* variable, std::shared_ptr<HookFunction> function);

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
