// Places outside of a trace, read without running code of the user's.
#include "bindings/outside.h"

#include <algorithm>
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

// In the same order: a function can see it.
bool is_same_dict(PyObject* a, PyObject* b) {
  if (PyDict_GET_SIZE(a) != PyDict_GET_SIZE(b)) return false;
  PyObject *key, *value, *other_key, *other;
  Py_ssize_t at = 0, other_at = 0;
  while (PyDict_Next(a, &at, &key, &value) != 0) {
    if (PyDict_Next(b, &other_at, &other_key, &other) == 0) return false;
    if (!is_same_value(key, other_key) || !is_same_value(value, other)) return false;
  }
  return true;
}

bool is_same_list(PyObject* a, PyObject* b) {
  return PyList_GET_SIZE(a) == PyList_GET_SIZE(b) && all_same(PyList_GET_SIZE(a), [&](auto i) {
           return is_same_value(PyList_GET_ITEM(a, i), PyList_GET_ITEM(b, i));
         });
}

bool is_same_tuple(PyObject* a, PyObject* b) {
  return PyTuple_GET_SIZE(a) == PyTuple_GET_SIZE(b) && all_same(PyTuple_GET_SIZE(a), [&](auto i) {
           return is_same_value(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i));
         });
}

bool is_equal(PyObject* a, PyObject* b) { return PyObject_RichCompareBool(a, b, Py_EQ) == 1; }

bool is_same_memory(PyObject* owner, PyObject* bytes) {
  Py_buffer view;
  if (PyObject_GetBuffer(owner, &view, PyBUF_C_CONTIGUOUS) != 0) return false;
  const bool same = view.len == PyBytes_GET_SIZE(bytes) &&
                    std::memcmp(view.buf, PyBytes_AS_STRING(bytes), view.len) == 0;
  PyBuffer_Release(&view);
  return same;
}

// A container of any class against its plain copy.
bool is_same_contents(PyObject* owner, PyObject* copy) {
  if (PyBytes_CheckExact(copy)) return is_same_memory(owner, copy);
  if (PyList_Check(owner)) return is_same_list(owner, copy);
  if (PyTuple_Check(owner)) return is_same_tuple(owner, copy);
  if (PyDict_Check(owner)) return is_same_dict(owner, copy);
  if (PyAnySet_Check(owner)) return is_equal(owner, copy);
  const Ref items(PySequence_List(owner));  // a deque
  return items && is_same_list(items.get(), copy);
}

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
  if (PyList_CheckExact(a)) return is_same_list(a, b);
  if (PyTuple_CheckExact(a)) return is_same_tuple(a, b);
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
                 : word == "has"       ? Kind::kHas
                 : word == "contents"  ? Kind::kContents
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
    case Kind::kHas:
      out = Ref(PyObject_GenericGetAttr(place.owner, place.name));
      if (!out) PyErr_Clear();
      out = Ref::borrowed(out ? Py_True : Py_False);
      break;
    case Kind::kContents: out = Ref::borrowed(place.owner); break;
  }
  if (!out) PyErr_Clear();
  return out;
}

bool Outside::holds(const Place& place) {
  const Ref now = now_at(place);
  const bool is_same =
      now && (place.kind == Kind::kContents ? is_same_contents(now.get(), place.value)
                                            : is_same_value(now.get(), place.value));
  if (!is_same) PyErr_Clear();
  return is_same;
}

bool Outside::is_as_it_was() const { return std::ranges::all_of(places_, holds); }

std::string Outside::what_changed() const {
  const auto changed = std::ranges::find_if_not(places_, holds);
  if (changed == places_.end()) return "a value that it read outside of its arguments has changed";
  const Ref now = now_at(*changed);
  if (!now) return text(text_of(changed->text), " is gone");
  if (changed->kind == Kind::kContents) {
    return text(text_of(changed->text), " holds something else now; pass what varies as a tensor");
  }
  return text(text_of(changed->text), " was ", short_repr(changed->value), " and is ",
              short_repr(now.get()), "; pass what varies as a tensor");
}

}  // namespace weft::python
