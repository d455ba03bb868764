// Disables object.__new__ of nanobind's function types: an instance made by it has no function.
#include "bindings/seal_types.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

void seal(nb::handle instance) {
  PyTypeObject* const type = Py_TYPE(instance.ptr());
  type->tp_new = nullptr;
  if (PyDict_DelItemString(type->tp_dict, "__new__") != 0) PyErr_Clear();  // it calls tp_new
  type->tp_flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
  PyType_Modified(type);
}

}  // namespace

void seal_function_types(nb::module_& module) {
  const nb::object type = module.attr("_NoGrad");
  seal(module.attr("_tensor"));  // nb_func
  seal(type.attr("enter"));      // nb_method
  seal(type().attr("enter"));    // nb_bound_method
}

}  // namespace weft::python
