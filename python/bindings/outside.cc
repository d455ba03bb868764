// Places outside of a trace, read without running code of the user's.
#include "bindings/outside.h"

#include <algorithm>
#include <cstring>

#include "bindings/tensor_object.h"
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

// Compares an OrderedDict with a dict, in the OrderedDict's own order: that of the underlying dict
// may differ.
bool is_same_ordered(PyObject* owner, PyObject* copy) {
  if (PyDict_GET_SIZE(owner) != PyDict_GET_SIZE(copy)) return false;
  const Ref keys(PyODict_Type.tp_iter(owner));
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(copy, &at, &key, &value) != 0;) {
    const Ref key_now(keys ? PyIter_Next(keys.get()) : nullptr);
    if (!key_now || !is_same_value(key_now.get(), key)) return false;
    PyObject* const now = PyDict_GetItemWithError(owner, key);
    if (now == nullptr || !is_same_value(now, value)) return false;
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
  if (PyODict_Check(owner)) return is_same_ordered(owner, copy);
  if (PyDict_Check(owner)) return is_same_dict(owner, copy);
  if (PyAnySet_Check(owner)) return is_equal(owner, copy);
  const Ref items(PySequence_List(owner));  // a deque
  return items && is_same_list(items.get(), copy);
}

// The parts of a function that its own name does not show when they are replaced.
bool is_same_function(PyObject* function, PyObject* parts) {
  const auto is_same = [](PyObject* now, PyObject* was) {
    return is_same_value(now == nullptr ? Py_None : now, was);
  };
  return PyFunction_GET_CODE(function) == PyTuple_GET_ITEM(parts, 0) &&
         is_same(PyFunction_GET_DEFAULTS(function), PyTuple_GET_ITEM(parts, 1)) &&
         is_same(PyFunction_GET_KW_DEFAULTS(function), PyTuple_GET_ITEM(parts, 2));
}

std::string counted(Py_ssize_t count) { return text(count, count == 1 ? " element" : " elements"); }

// Where two values differ first, "[1]['rate']", and how, " was 0.5 and is 0.25".
struct Difference {
  std::string path, words;
  PyObject* now = Py_None;  // what is there instead
};

Difference difference(PyObject* was, PyObject* now);

template <class Item>
Difference difference_of_items(Py_ssize_t count, Py_ssize_t count_now, Item was, Item now) {
  if (count != count_now) return {"", text(" had ", counted(count), " and has ", count_now)};
  Py_ssize_t i = 0;
  while (i + 1 < count && is_same_value(was(i), now(i))) ++i;
  const Difference inner = difference(was(i), now(i));
  return {text("[", i, "]", inner.path), inner.words, inner.now};
}

Difference difference_of_dicts(PyObject* was, PyObject* now) {
  PyObject *key, *value;
  const auto path = [&] { return text("[", short_repr(key), "]"); };
  for (Py_ssize_t at = 0; PyDict_Next(was, &at, &key, &value) != 0;) {
    PyObject* const other = PyDict_GetItemWithError(now, key);
    if (other == nullptr) return {path(), " is gone"};
    if (is_same_value(value, other)) continue;
    const Difference inner = difference(value, other);
    return {path() + inner.path, inner.words, inner.now};
  }
  for (Py_ssize_t at = 0; PyDict_Next(now, &at, &key, &value) != 0;) {
    if (PyDict_Contains(was, key) == 0) return {path(), " is new"};
  }
  return {"", " has its keys in another order"};
}

Difference difference(PyObject* was, PyObject* now) {
  const auto item_of = [](PyObject* sequence) {
    return [sequence](Py_ssize_t i) {
      return PyList_Check(sequence) ? PyList_GET_ITEM(sequence, i) : PyTuple_GET_ITEM(sequence, i);
    };
  };
  const bool are_lists = PyList_CheckExact(was) && PyList_Check(now);
  if (was != now && (are_lists || (PyTuple_CheckExact(was) && PyTuple_Check(now)))) {
    return difference_of_items(Py_SIZE(was), Py_SIZE(now), item_of(was), item_of(now));
  }
  if (was != now && PyDict_CheckExact(was) && PyDict_Check(now)) {
    return difference_of_dicts(was, now);
  }
  if (PyBytes_CheckExact(was) || PyAnySet_Check(was)) return {"", " holds something else now"};
  const std::string before = short_repr(was), after = short_repr(now);
  if (before != after) return {"", text(" was ", before, " and is ", after), now};
  return {"", text(" is another ", Py_TYPE(now)->tp_name, " now"), now};
}

// "`rates`, read at f.py:3," with a path: "`rates[1]`, read at f.py:3,".
std::string with_path(std::string_view place, std::string_view path) {
  const size_t end = place.find("`, read at ");
  if (path.empty()) return std::string(place);
  if (!place.starts_with('`') || end == place.npos) return text(path, " of ", place);
  return text(place.substr(0, end), path, place.substr(end));
}

std::string_view advice(PyObject* now) {
  if (PyObject_TypeCheck(now, variable_type) != 0) return "; assign to the one that there was";
  if (is_tensor(now)) return "; pass it as an argument, or keep it in a wf.Variable";
  return "; pass what varies as a tensor";
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
    place.kind = kind_of(kind);
    places_.push_back(place);
  }
}

Outside::Kind Outside::kind_of(std::string_view word) {
  static constexpr std::pair<std::string_view, Kind> kWords[] = {
      {"item", Kind::kItem},        {"cell", Kind::kCell},      {"attribute", Kind::kAttribute},
      {"method", Kind::kMethod},    {"class", Kind::kClass},    {"has", Kind::kHas},
      {"no item", Kind::kNoItem},   {"no cell", Kind::kNoCell}, {"function", Kind::kFunction},
      {"contents", Kind::kContents}};
  const auto found = std::ranges::find(kWords, word, [](const auto& one) { return one.first; });
  WEFT_ASSERT(found != std::end(kWords), word);
  return found->second;
}

Ref Outside::now_at(const Place& place) {
  Ref out;
  switch (place.kind) {
    case Kind::kItem:
    case Kind::kNoItem:
      out = Ref::borrowed(PyDict_GetItemWithError(place.owner, place.name));
      break;
    case Kind::kCell:
    case Kind::kNoCell: out = Ref::borrowed(PyCell_GET(place.owner)); break;
    case Kind::kAttribute: out = Ref(PyObject_GenericGetAttr(place.owner, place.name)); break;
    case Kind::kMethod:
      out = Ref::borrowed(_PyType_Lookup(reinterpret_cast<PyTypeObject*>(place.owner), place.name));
      break;
    case Kind::kClass:
      out = Ref::borrowed(reinterpret_cast<PyObject*>(Py_TYPE(place.owner)));
      break;
    case Kind::kHas:
      out = Ref(PyObject_GenericGetAttr(place.owner, place.name));
      if (!out) PyErr_Clear();
      out = Ref::borrowed(out ? Py_True : Py_False);
      break;
    case Kind::kFunction:
    case Kind::kContents: out = Ref::borrowed(place.owner); break;
  }
  if (!out) PyErr_Clear();
  return out;
}

bool Outside::holds(const Place& place) {
  const Ref now = now_at(place);
  const auto is_same = [&] {
    switch (place.kind) {
      case Kind::kNoItem:
      case Kind::kNoCell: return !now;
      case Kind::kFunction: return is_same_function(now.get(), place.value);
      case Kind::kContents: return is_same_contents(now.get(), place.value);
      default: return now && is_same_value(now.get(), place.value);
    }
  };
  if (is_same()) return true;
  PyErr_Clear();
  return false;
}

bool Outside::is_as_it_was() const { return std::ranges::all_of(places_, holds); }

std::string Outside::what_changed() const {
  const auto changed = std::ranges::find_if_not(places_, holds);
  if (changed == places_.end()) return "a value that it read outside of its arguments has changed";
  const Ref now = now_at(*changed);
  const std::string_view where = text_of(changed->text);
  if (!now) return text(where, " is gone");
  switch (changed->kind) {
    case Kind::kNoItem:
    case Kind::kNoCell: return text(where, " was not there and is now");
    case Kind::kFunction: return text(where, " has other code or defaults now");
    default: break;
  }
  // What is no list, tuple or dict is compared with a copy of its contents.
  const bool is_sequence = changed->kind == Kind::kContents && PyList_CheckExact(changed->value);
  const Ref items =
      is_sequence && !PyList_Check(now.get()) ? Ref(PySequence_List(now.get())) : Ref();
  const Difference found = difference(changed->value, items ? items.get() : now.get());
  return text(with_path(where, found.path), found.words, advice(found.now));
}

}  // namespace weft::python
