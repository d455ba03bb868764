// How calls of ops reach objects that stand for tensors to come.
#include "bindings/symbolic.h"

namespace weft::python {
namespace {

constexpr const char* kMethod = "__weft_call__";

bool is_symbol(PyObject* object) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), kMethod) != 0;
}

}  // namespace

PyObject* find_symbol(PyObject* const* args, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (is_symbol(args[i])) return args[i];
    if (!PyList_Check(args[i]) && !PyTuple_Check(args[i])) continue;
    PyObject** const items = PySequence_Fast_ITEMS(args[i]);
    const auto size = static_cast<size_t>(PySequence_Fast_GET_SIZE(args[i]));
    for (size_t k = 0; k < size; ++k) {
      if (is_symbol(items[k])) return items[k];
    }
  }
  return nullptr;
}

PyObject* note_call(PyObject* symbol, PyObject* function, PyObject* const* args, size_t count,
                    PyObject* keywords) {
  const Ref positional = checked(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(positional.get(), static_cast<Py_ssize_t>(i),
                     Ref::borrowed(args[i]).give_up());
  }
  const Ref named = checked(PyDict_New());
  const Py_ssize_t names = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t i = 0; i < names; ++i) {
    checked(PyDict_SetItem(named.get(), PyTuple_GET_ITEM(keywords, i),
                           args[count + static_cast<size_t>(i)]));
  }
  const Ref noting =
      checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(symbol)), kMethod));
  return checked(PyObject_CallFunctionObjArgs(noting.get(), function, positional.get(), named.get(),
                                              nullptr))
      .give_up();
}

}  // namespace weft::python
