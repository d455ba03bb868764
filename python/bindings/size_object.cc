// weft._core.Size: x.size() is how torch asks for the shape, and an int could not say what is
// wrong.
#include "bindings/size_object.h"

#include "weft/base/error.h"

namespace weft::python {
namespace {

PyTypeObject* size_type = nullptr;

PyObject* called(PyObject*, PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    fail(Code::kType, "size", "property",
         "is the number of elements and is not called: x.size; the extents are x.shape, and "
         "x.shape[axis] is one of them");
  });
}

}  // namespace

PyObject* new_size(int64_t size) {
  const Ref number = checked(PyLong_FromLongLong(size));
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(size_type), number.get());
}

void add_size_type(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(called)},
                         {Py_tp_doc, const_cast<char*>("The number of elements, an int.")},
                         {0, nullptr}};
  PyType_Spec spec{"weft._core.Size", 0, 0, Py_TPFLAGS_DEFAULT, slots};
  const Ref bases = checked(PyTuple_Pack(1, &PyLong_Type));
  size_type = reinterpret_cast<PyTypeObject*>(
      checked(PyType_FromSpecWithBases(&spec, bases.get())).give_up());
  checked(PyModule_AddObjectRef(module, "Size", reinterpret_cast<PyObject*>(size_type)));
}

}  // namespace weft::python
