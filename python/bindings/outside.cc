// Places outside of a trace, read without running code of the user's.
#include "bindings/outside.h"

#include <cstring>

#include "weft/base/error.h"
#include "weft/base/text.h"

namespace weft::python {
namespace {

template <class Same>
bool all_same(Py_ssize_t count, Same same) {
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!same(i)) return false;
  }
  return true;
}

// 0.0 and -0.0 are equal and give other graphs; a NaN is like itself.
bool is_same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool is_same_dict(PyObject* a, PyObject* b) {
  if (PyDict_GET_SIZE(a) != PyDict_GET_SIZE(b)) return false;
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(a, &at, &key, &value) != 0) {
    PyObject* const other = PyDict_GetItemWithError(b, key);
    if (other == nullptr || !is_same_value(value, other)) return false;
  }
  return true;
}

bool is_equal(PyObject* a, PyObject* b) { return PyObject_RichCompareBool(a, b, Py_EQ) == 1; }

}  // namespace

bool is_same_value(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) return is_same_bits(PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b));
  if (PyLong_CheckExact(a) || PyUnicode_CheckExact(a) || PyBytes_CheckExact(a)) {
    return is_equal(a, b);
  }
  if (PyComplex_CheckExact(a)) {
    const Py_complex x = PyComplex_AsCComplex(a), y = PyComplex_AsCComplex(b);
    return is_same_bits(x.real, y.real) && is_same_bits(x.imag, y.imag);
  }
  if (PyList_CheckExact(a)) {
    return PyList_GET_SIZE(a) == PyList_GET_SIZE(b) && all_same(PyList_GET_SIZE(a), [&](auto i) {
             return is_same_value(PyList_GET_ITEM(a, i), PyList_GET_ITEM(b, i));
           });
  }
  if (PyTuple_CheckExact(a)) {
    return PyTuple_GET_SIZE(a) == PyTuple_GET_SIZE(b) && all_same(PyTuple_GET_SIZE(a), [&](auto i) {
             return is_same_value(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i));
           });
  }
  if (PyDict_CheckExact(a)) return is_same_dict(a, b);
  if (PyAnySet_CheckExact(a)) return is_equal(a, b);
  return false;
}

Outside::Outside(PyObject* places) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(places); ++i) {
    const char* kind = nullptr;
    Place place{};
    if (PyArg_ParseTuple(PyList_GET_ITEM(places, i), "sOOOO", &kind, &place.owner, &place.name,
                         &place.value, &place.text) == 0) {
      throw PendingError();
    }
    const std::string_view word = kind;
    place.kind = word == "item"        ? Kind::kItem
                 : word == "cell"      ? Kind::kCell
                 : word == "attribute" ? Kind::kAttribute
                                       : Kind::kMethod;
    places_.push_back(place);
  }
}

Ref Outside::now_at(const Place& place) {
  Ref out;
  switch (place.kind) {
    case Kind::kItem: out = Ref::borrowed(PyDict_GetItemWithError(place.owner, place.name)); break;
    case Kind::kCell: out = Ref::borrowed(PyCell_GET(place.owner)); break;
    case Kind::kAttribute: out = Ref(PyObject_GenericGetAttr(place.owner, place.name)); break;
    case Kind::kMethod:
      out = Ref::borrowed(_PyType_Lookup(reinterpret_cast<PyTypeObject*>(place.owner), place.name));
      break;
  }
  if (!out) PyErr_Clear();
  return out;
}

bool Outside::is_as_it_was() const {
  for (const Place& place : places_) {
    const Ref now = now_at(place);
    if (!now || !is_same_value(now.get(), place.value)) {
      PyErr_Clear();
      return false;
    }
  }
  return true;
}

std::string Outside::what_changed() const {
  for (const Place& place : places_) {
    const Ref now = now_at(place);
    if (now && is_same_value(now.get(), place.value)) continue;
    PyErr_Clear();
    if (!now) return text(text_of(place.text), " is gone");
    return text(text_of(place.text), " was ", short_repr(place.value), " and is ",
                short_repr(now.get()), "; pass what varies as a tensor");
  }
  return "a value that it read outside of its arguments has changed";
}

}  // namespace weft::python
