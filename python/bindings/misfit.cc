// nanobind's functions are called through a pointer in each of them. It is replaced by one to a
// function that calls the first and looks at what it raised: a call that succeeds costs one jump
// more.
#include "bindings/misfit.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "bindings/python.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

// nanobind has one function for each kind of signature.
std::array<vectorcallfunc, 8> originals{};

// Replaces nanobind's error by Weft's, if it is about the types of arguments.
void explain(PyObject* function, PyObject* const* args, size_t count, PyObject* names) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return;
  PyObject *type = nullptr, *error = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  const Ref text(error == nullptr ? nullptr : PyObject_Str(error));
  const bool is_misfit =
      type == PyExc_TypeError && text &&
      text_of(text.get()).find("(): incompatible function arguments. ") != std::string_view::npos;
  if (is_misfit) {
    const size_t by_name = names == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(names));
    const Ref values(PyTuple_New(static_cast<Py_ssize_t>(count + by_name)));
    for (size_t i = 0; values && i < count + by_name; ++i) {
      PyTuple_SET_ITEM(values.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
    }
    const Ref module(PyImport_ImportModule("weft._misfits"));
    const Ref better(values && module ? PyObject_CallMethod(module.get(), "of_misfit", "OOOO",
                                                            function, text.get(), values.get(),
                                                            names == nullptr ? Py_None : names)
                                      : nullptr);
    if (better && PyExceptionInstance_Check(better.get())) {
      Py_XDECREF(type);
      Py_XDECREF(error);
      Py_XDECREF(traceback);
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(better.get())), better.get());
      return;
    }
    PyErr_Clear();  // of the explanation: nanobind's own error is there
  }
  PyErr_Restore(type, error, traceback);
}

template <size_t slot>
PyObject* call(PyObject* function, PyObject* const* args, size_t flags, PyObject* names) {
  PyObject* const out = originals[slot](function, args, flags, names);
  if (out == nullptr) [[unlikely]] {
    explain(function, args, static_cast<uint32_t>(flags), names);  // above them are flags
  }
  return out;
}

constexpr auto kCalls = []<size_t... slots>(std::index_sequence<slots...>) {
  return std::array<vectorcallfunc, sizeof...(slots)>{call<slots>...};
}(std::make_index_sequence<originals.size()>());

class Replacement {
 public:
  explicit Replacement(nb::module_& module)
      : function_type_(Py_TYPE(module.attr("_tensor").ptr())),
        method_type_(Py_TYPE(module.attr("_NoGrad").attr("enter").ptr())) {}

  // Classes are entered from the module alone.
  void in(PyObject* dict, bool is_module = true) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);) {
      if (is_module && PyType_Check(value)) {
        in(reinterpret_cast<PyTypeObject*>(value)->tp_dict, /*is_module=*/false);
      } else {
        of(value);
      }
    }
  }

 private:
  void of(PyObject* thing) {
    if (Py_TYPE(thing) == function_type_ || Py_TYPE(thing) == method_type_) {
      replace(thing);
    } else if (Py_TYPE(thing) == &PyProperty_Type) {
      for (const char* part : {"fget", "fset"}) {
        const Ref function(PyObject_GetAttrString(thing, part));
        if (function && function.get() != Py_None) of(function.get());
      }
    }
  }

  void replace(PyObject* function) {
    const Py_ssize_t offset = Py_TYPE(function)->tp_vectorcall_offset;
    auto& pointer = *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function) + offset);
    if (std::ranges::find(kCalls, pointer) != kCalls.end()) return;  // a name of one that was met
    const auto slot = std::ranges::find_if(
        originals, [&](vectorcallfunc one) { return one == nullptr || one == pointer; });
    if (slot == originals.end()) return;
    *slot = pointer;
    pointer = kCalls[static_cast<size_t>(slot - originals.begin())];
  }

  PyTypeObject *function_type_, *method_type_;
};

}  // namespace

void explain_misfits(nb::module_& module) {
  Replacement(module).in(PyModule_GetDict(module.ptr()));
}

}  // namespace weft::python
