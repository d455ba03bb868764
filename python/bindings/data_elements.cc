// Elements of datasets between Python and C++.
#include "bindings/data_elements.h"

#include "bindings/from_python.h"
#include "bindings/gil.h"
#include "bindings/tensor_object.h"
#include "bindings/tree_level.h"
#include "bindings/value.h"
#include "weft/base/error.h"
#include "weft/data/call.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

using data::Element, data::Form, data::Leaf, data::Texts;

nb::object helper(const char* name) { return nb::module_::import_("weft.data._trees").attr(name); }

nb::object text_to_python(const std::string& text) {
  PyObject* const out =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (out == nullptr) throw nb::python_error();
  return nb::steal(out);
}

nb::object texts_to_python(const Texts& all, size_t axis, size_t& next) {
  if (axis == all.shape.size()) return text_to_python(all.texts[next++]);
  nb::list out;
  for (int64_t i = 0; i < all.shape[axis].value(); ++i) {
    out.append(texts_to_python(all, axis + 1, next));
  }
  return out;
}

nb::object leaf_to_python(const Leaf& leaf) {
  if (!leaf.is_text()) return nb::steal(wrap(leaf.tensor));
  size_t next = 0;
  return texts_to_python(*leaf.texts, 0, next);
}

nb::object form_to_python(const Form& form, const Element& element, size_t& next) {
  if (form.kind == Form::Kind::kLeaf) return leaf_to_python(element.leaves[next++]);
  if (form.kind == Form::Kind::kDict) {
    nb::dict out;
    for (size_t i = 0; i < form.children.size(); ++i) {
      out[nb::str(form.keys[i].data(), form.keys[i].size())] =
          form_to_python(*form.children[i], element, next);
    }
    return out;
  }
  if (form.kind == Form::Kind::kTuple) {
    nb::object out = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(form.children.size())));
    for (size_t i = 0; i < form.children.size(); ++i) {
      PyTuple_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i),
                       form_to_python(*form.children[i], element, next).release().ptr());
    }
    return out;
  }
  nb::list out;
  for (const auto& child : form.children) out.append(form_to_python(*child, element, next));
  if (form.kind == Form::Kind::kList) return out;
  return helper("rebuilt")(nb::str(form.keys[0].data(), form.keys[0].size()), out);
}

std::string utf8(nb::handle text) {
  const nb::object bytes =
      nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

bool is_text(PyObject* object) { return PyUnicode_Check(object) || PyBytes_Check(object); }

std::string text_of_leaf(PyObject* object) {
  if (PyUnicode_Check(object)) return utf8(object);
  return {PyBytes_AS_STRING(object), static_cast<size_t>(PyBytes_GET_SIZE(object))};
}

// The first leaf of a nested list: a list of numbers is a tensor, one of texts is texts. Null for
// an empty list, and for one nested deeper than kMaxTreeDepth, which flatten refuses.
PyObject* first_item(PyObject* list) {
  for (int depth = 0; PyList_CheckExact(list); ++depth) {
    if (PyList_GET_SIZE(list) == 0 || depth > kMaxTreeDepth) return nullptr;
    list = PyList_GET_ITEM(list, 0);
  }
  return list;
}

void append_texts(PyObject* object, size_t axis, Texts& out, std::string_view who) {
  if (axis == out.shape.size()) {
    if (!is_text(object)) {
      fail(Code::kType, who, "element", "a list of texts has ", type_name_of(object),
           " in it; lists of texts are nested evenly");
    }
    out.texts.push_back(text_of_leaf(object));
    return;
  }
  if (!PyList_CheckExact(object) || PyList_GET_SIZE(object) != out.shape[axis].value()) {
    fail(Code::kInvalid, who, "element", "a list of texts is ragged on axis ", axis,
         "; lists of texts are nested evenly");
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) {
    append_texts(PyList_GET_ITEM(object, i), axis + 1, out, who);
  }
}

Leaf texts_from(PyObject* list, std::string_view who) {
  Texts out;
  for (PyObject* one = list; PyList_CheckExact(one); one = PyList_GET_ITEM(one, 0)) {
    out.shape.push_back(static_cast<int64_t>(PyList_GET_SIZE(one)));
  }
  append_texts(list, 0, out, who);
  return Leaf(std::move(out));
}

// An array that only the caller's result holds is nobody else's to write: it is borrowed.
void give_up_writing(PyObject* array) {
  if (Py_REFCNT(array) > 1) return;
  const nb::handle object(array);
  if (!nb::hasattr(object, "flags") || !nb::hasattr(object, "base")) return;
  if (!object.attr("base").is_none()) return;
  nb::object flags = object.attr("flags");
  // Of NumPy's scalars nothing can be written, and their flags cannot be set either.
  if (!nb::hasattr(flags, "writeable") || !nb::cast<bool>(flags.attr("writeable"))) return;
  flags.attr("writeable") = false;
}

Shared<const Form> flatten(PyObject* tree, std::vector<Leaf>& leaves, std::string_view who) {
  const TreeLevel level(who, "the element");
  if (is_tensor(tree)) {
    leaves.emplace_back(tensor_of(tree));
    return data::leaf_form();
  }
  if (is_text(tree)) {
    leaves.push_back(Leaf(text_of_leaf(tree)));
    return data::leaf_form();
  }
  if (PyList_CheckExact(tree)) {
    PyObject* const first = first_item(tree);
    if (first != nullptr && is_text(first)) {
      leaves.push_back(texts_from(tree, who));
      return data::leaf_form();
    }
    if (first == nullptr || PyNumber_Check(first) == 0 || is_tensor(first)) {
      Form out{Form::Kind::kList};
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(tree); ++i) {
        out.children.push_back(flatten(PyList_GET_ITEM(tree, i), leaves, who));
      }
      return new_shared<const Form>(std::move(out));
    }
  }
  if (PyTuple_CheckExact(tree)) {
    std::vector<Shared<const Form>> children;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tree); ++i) {
      children.push_back(flatten(PyTuple_GET_ITEM(tree, i), leaves, who));
    }
    return data::tuple_form(std::move(children));
  }
  if (PyDict_CheckExact(tree)) {
    Form out{Form::Kind::kDict};
    for (auto [key, value] : nb::borrow<nb::dict>(tree)) {
      if (!PyUnicode_Check(key.ptr())) {
        fail(Code::kType, who, "element", "a dict has the key ", short_repr(key.ptr()),
             "; keys of elements are str");
      }
      out.keys.push_back(utf8(key));
      out.children.push_back(flatten(value.ptr(), leaves, who));
    }
    return new_shared<const Form>(std::move(out));
  }
  const nb::object parts = helper("taken_apart")(nb::handle(tree));
  if (!parts.is_none()) {  // (name, children) of a type that only Python knows
    const nb::tuple both = nb::cast<nb::tuple>(parts);
    const nb::object name = both[0], children = both[1];
    Form out{Form::Kind::kHost, {utf8(name)}};
    for (nb::handle child : children) {
      out.children.push_back(flatten(child.ptr(), leaves, who));
    }
    return new_shared<const Form>(std::move(out));
  }
  give_up_writing(tree);
  leaves.emplace_back(new_tensor(tree, {}, {who, "element"}));
  return data::leaf_form();
}

bool is_running() { return Py_IsInitialized() != 0; }

void note_place(const std::string& place) {
  try {
    throw;
  } catch (nb::python_error& error) {
    const WithGil gil;
    // It would end the pass as if there were no more elements: an error, as in generators.
    if (error.matches(PyExc_StopIteration)) {
      nb::raise_from(error, PyExc_RuntimeError, "the function raised StopIteration: %s",
                     place.c_str());
    }
    nb::handle value = error.value();
    if (nb::hasattr(value, "add_note")) value.attr("add_note")(nb::str(place.c_str()));
    throw;
  }
}

// SystemExit and the like are none.
bool is_error() {
  try {
    throw;
  } catch (const nb::python_error& error) {
    const WithGil gil;
    return error.matches(PyExc_Exception);
  } catch (...) {
    return true;
  }
}

}  // namespace

nb::object element_to_python(const Element& element) {
  size_t next = 0;
  return form_to_python(*element.form, element, next);
}

Element element_from_python(nb::handle tree, std::string_view who) {
  Element out;
  try {
    out.form = flatten(tree.ptr(), out.leaves, who);
  } catch (const PendingError&) {
    throw nb::python_error();  // carries the error to the thread that reads the element
  }
  return out;
}

nb::dict state_to_python(const data::State& state) {
  nb::dict out;
  for (const auto& [name, value] : state) out[name.c_str()] = nb::steal(wrap(value));
  return out;
}

data::State state_from_python(nb::dict dict) {
  data::State out;
  for (auto [name, value] : dict) {
    if (!PyUnicode_Check(name.ptr())) {
      fail(Code::kType, "load_state_dict", "state", "has the key ", short_repr(name.ptr()),
           "; keys of a state are str");
    }
    out.emplace(text_of(name.ptr()), argument_value(value.ptr(), {"load_state_dict", "state"}));
  }
  return out;
}

Kept::Kept(nb::handle object)
    : object_(new nb::handle(object), [](nb::handle* held) {
        if (is_running()) {
          const WithGil gil;
          held->dec_ref();
        }
        delete held;
      }) {
  object.inc_ref();
}

FunctionOfDataset::FunctionOfDataset(nb::handle function)
    : reference_(nb::steal(checked(PyWeakref_NewRef(function.ptr(), nullptr)).give_up())) {}

nb::object FunctionOfDataset::get() const {
  const nb::object function = nb::borrow(PyWeakref_GetObject(reference_.get().ptr()));
  if (function.is_none()) {
    throw Error(Code::kInterrupted, "data", "", "the dataset and its iterators were dropped");
  }
  return function.attr("f");
}

nb::object call_with_element(const FunctionOfDataset& function, const Element& element) {
  const nb::object f = function.get();
  nb::object tree = element_to_python(element);
  PyObject* out = nullptr;
  if (element.form->kind == Form::Kind::kTuple) {
    out = PyObject_Call(f.ptr(), tree.ptr(), nullptr);
  } else {
    out = PyObject_CallOneArg(f.ptr(), tree.ptr());
  }
  if (out != nullptr) return nb::steal(out);
  // What is pending stays: the border finds it there.
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    throw Error(Code::kInterrupted, "data", "", "interrupted");
  }
  throw nb::python_error();
}

std::string name_of_function(nb::handle function) {
  const nb::object f = function.attr("f");
  if (nb::hasattr(f, "__name__")) {
    const nb::object name = f.attr("__name__");
    if (PyUnicode_Check(name.ptr())) return std::string(text_of(name.ptr()));
  }
  return std::string(type_name_of(f.ptr()));
}

void install_element_notes() {
  data::set_foreign_error(note_place);
  data::set_is_error(is_error);
}

}  // namespace weft::python
