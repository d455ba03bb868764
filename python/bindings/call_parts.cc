// Arguments of a call, as leaves and a text.
#include "bindings/call_parts.h"

#include <algorithm>

#include "bindings/from_python.h"
#include "bindings/tensor_object.h"
#include "bindings/tree_level.h"
#include "weft/base/text.h"

namespace weft::python {
namespace {

struct NeedsPython {};

bool has(PyObject* object, const char* attribute) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), attribute) != 0;
}

bool is_plain(PyTypeObject* type) {
  return type == &PyBool_Type || type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyComplex_Type || type == &PyUnicode_Type || type == &PyBytes_Type ||
         type == Py_TYPE(Py_None);
}

class Parting {
 public:
  Parting(CallParts& parts, std::string_view who, const StaticArguments& fixed)
      : parts_(parts), who_(who), fixed_(fixed) {}

  void arguments(PyObject* args) {
    if (fixed_.empty()) return items(args, '(', ')');
    parts_.statics += '(';
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
      const bool is_fixed = std::ranges::find(fixed_.positions, i) != fixed_.positions.end();
      if (i > 0) parts_.statics += ", ";
      is_fixed ? fix(PyTuple_GET_ITEM(args, i)) : visit(PyTuple_GET_ITEM(args, i));
    }
    parts_.statics += ')';
  }

  void keywords(PyObject* dict) { entries(dict, fixed_.names); }

  void items(PyObject* sequence, char open, char close) {
    parts_.statics += open;
    PyObject** const all = PySequence_Fast_ITEMS(sequence);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
      if (i > 0) parts_.statics += ", ";
      visit(all[i]);
    }
    parts_.statics += close;
  }

  void entries(PyObject* dict, std::span<const std::string> fixed = {}) {
    struct Entry {
      std::string_view name;
      PyObject *key, *value;
      size_t place;  // as the user put them in
    };
    std::vector<Entry> all;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value) != 0) {
      if (!PyUnicode_CheckExact(key)) throw NeedsPython();
      all.push_back({text_of(key), key, value, all.size()});
    }
    // The order of code points, which is that of the bytes of UTF-8.
    std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.name < b.name; });
    parts_.statics += '{';
    for (const Entry& one : all) {
      if (&one != all.data()) parts_.statics += ", ";
      visit(one.key);
      parts_.statics += ": ";
      const bool is_fixed = std::ranges::find(fixed, one.name) != fixed.end();
      is_fixed ? fix(one.value) : visit(one.value);
    }
    parts_.statics += '}';
    // A function can see the order: it is part of the form.
    if (std::is_sorted(all.begin(), all.end(),
                       [](auto& a, auto& b) { return a.place < b.place; })) {
      return;
    }
    parts_.statics += " in the order";
    for (const Entry& one : all) parts_.statics += text(" ", one.place);
  }

 private:
  void visit(PyObject* object) {
    PyTypeObject* const type = Py_TYPE(object);
    if (is_tensor(object)) return leaf(tensor_of(object));
    if (is_plain(type)) return show(object);
    if (type == &PyTuple_Type || type == &PyList_Type || type == &PyDict_Type) {
      const TreeLevel level(who_, "an argument");
      if (type == &PyDict_Type) return entries(object);
      return type == &PyTuple_Type ? items(object, '(', ')') : items(object, '[', ']');
    }
    if (std::string_view(type->tp_name).starts_with("numpy.")) {
      return leaf(new_tensor(object, {}, {who_, "argument"}));
    }
    if (has(object, "__weft_tensor__")) return wrapped(object);
    const bool is_tree = PyTuple_Check(object) || PyDict_Check(object) || PyList_Check(object) ||
                         has(object, "__dataclass_fields__");
    if (is_tree || has(object, "__array__")) throw NeedsPython();
    parts_.statics += text("<", type->tp_name, " at ", reinterpret_cast<uintptr_t>(object), ">");
  }

  void show(PyObject* object) {
    const Ref shown = checked(PyObject_Repr(object));  // exact, and another for each type
    parts_.statics += text_of(shown.get());
  }

  // A static argument. Values that are equal and of one type have one number.
  void fix(PyObject* object) {
    PyTypeObject* const type = Py_TYPE(object);
    if (is_plain(type)) return show(object);
    if (type == &PyTuple_Type) {
      const TreeLevel level(who_, "a static argument");
      parts_.statics += '(';
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
        if (i > 0) parts_.statics += ", ";
        fix(PyTuple_GET_ITEM(object, i));
      }
      parts_.statics += ')';
      return;
    }
    const Ref key = checked(PyTuple_Pack(2, type, object));
    const Ref next = checked(PyLong_FromSsize_t(PyDict_GET_SIZE(fixed_.numbers.get())));
    PyObject* const number = PyDict_SetDefault(fixed_.numbers.get(), key.get(), next.get());
    if (number == nullptr) {  // it has no hash, which Python's side tells the user
      PyErr_Clear();
      throw NeedsPython();
    }
    parts_.statics += text("#", PyLong_AsSsize_t(number));
  }

  // A key: an object around one tensor.
  void wrapped(PyObject* object) {
    const Ref inner = checked(PyObject_GetAttrString(object, "__weft_tensor__"));
    parts_.statics +=
        text(Py_TYPE(object)->tp_name, " at ", reinterpret_cast<uintptr_t>(Py_TYPE(object)), "(");
    visit(inner.get());
    parts_.statics += ')';
  }

  void leaf(Tensor tensor) {
    parts_.statics += '*';
    parts_.tensors.push_back(std::move(tensor));
  }

  CallParts& parts_;
  std::string_view who_;
  const StaticArguments& fixed_;
};

}  // namespace

std::optional<CallParts> taken_apart(PyObject* args, PyObject* keywords, std::string_view who,
                                     const StaticArguments& fixed) {
  CallParts out;
  Parting parting(out, who, fixed);
  try {
    parting.arguments(args);
    if (keywords != nullptr && PyDict_GET_SIZE(keywords) > 0) parting.keywords(keywords);
  } catch (NeedsPython) {
    return {};
  }
  return out;
}

}  // namespace weft::python
