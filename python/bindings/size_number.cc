// weft.SizeFloat: computes like a float, in the graph, and becomes one where one is needed.
#include "bindings/size_number.h"

#include <nanobind/stl/string.h>

#include <cctype>
#include <vector>

#include "bindings/dim_object.h"
#include "bindings/from_python.h"
#include "bindings/line.h"
#include "weft/base/error.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

struct SizeFloatObject {
  SizeFloatAttrs attrs;
};

// A loop that goes on computing with one would make it longer without end.
constexpr size_t kLongest = 2048;

// The float of the call that is traced, which is noted.
double decided(const SizeFloatObject& self) {
  const CalledFrom line(python_line());
  return value_of_size_float(self.attrs);
}
nb::object as_float(const SizeFloatObject& self) { return nb::float_(decided(self)); }

// Whether Python would give a float for the sizes seen, as far as there are any.
bool is_float_here(SizeFloatAttrs attrs) {
  for (Dim& size : attrs.sizes) {
    const std::optional<int64_t> seen = hinted_value(size);
    if (!seen) return true;
    size = *seen;
  }
  try {
    value_of_size_float(attrs);
  } catch (const Error&) {
    return false;
  }
  return true;
}

using Operation = PyObject* (*)(PyObject*, PyObject*);

// Of what has a formula it is one; else, and for operations that formulas do not have, of floats.
template <char operation, Operation of_floats, bool is_swapped = false>
nb::object computed(const SizeFloatObject& self, nb::handle other) {
  const std::optional<SizeFloatAttrs> with = formula_in(other.ptr());
  if (!with) return nb::borrow(Py_NotImplemented);
  if (operation != 0) {
    const SizeFloatAttrs &a = is_swapped ? *with : self.attrs, &b = is_swapped ? self.attrs : *with;
    if (PyObject* const out = size_float_of(operation, a, b)) return nb::steal(out);
  }
  const nb::object x = as_float(self);
  const nb::object y = size_float_in(other.ptr()) != nullptr || dim_in(other.ptr())
                           ? nb::steal(checked(PyNumber_Float(other.ptr())).give_up())
                           : nb::borrow(other);
  const nb::object &left = is_swapped ? y : x, &right = is_swapped ? x : y;
  return nb::steal(checked(of_floats(left.ptr(), right.ptr())).give_up());
}
PyObject* power(PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); }

template <int operation>
nb::object compared(const SizeFloatObject& self, nb::handle other) {
  if (!formula_in(other.ptr())) return nb::borrow(Py_NotImplemented);
  const nb::object b = size_float_in(other.ptr()) != nullptr
                           ? nb::steal(checked(PyNumber_Float(other.ptr())).give_up())
                           : nb::borrow(other);
  return nb::steal(
      checked(PyObject_RichCompare(as_float(self).ptr(), b.ptr(), operation)).give_up());
}

// A method of the float that it is.
template <class... Arguments>
nb::object of_float(const SizeFloatObject& self, const char* method, Arguments... arguments) {
  return as_float(self).attr(method)(arguments...);
}

// As people write it: (n * 0.5).
std::string infix(const SizeFloatAttrs& attrs) {
  std::vector<std::string> parts;
  size_t next = 0;
  std::string_view rest = attrs.formula;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool is_value = word == "size" || word.size() > 1 || std::isdigit(word[0]) != 0;
    if (is_value) {
      parts.push_back(word == "size" ? to_string(attrs.sizes[next++]) : std::string(word));
      continue;
    }
    const std::string b = std::move(parts.back());
    parts.pop_back();
    parts.back() = text('(', parts.back(), ' ', word == "^" ? "**" : word, ' ', b, ')');
  }
  return parts.back();
}

void add_arithmetic(nb::class_<SizeFloatObject>& type) {
  constexpr bool kSwapped = true;
  type.def("__add__", computed<'+', PyNumber_Add>)
      .def("__radd__", computed<'+', PyNumber_Add, kSwapped>)
      .def("__sub__", computed<'-', PyNumber_Subtract>)
      .def("__rsub__", computed<'-', PyNumber_Subtract, kSwapped>)
      .def("__mul__", computed<'*', PyNumber_Multiply>)
      .def("__rmul__", computed<'*', PyNumber_Multiply, kSwapped>)
      .def("__truediv__", computed<'/', PyNumber_TrueDivide>)
      .def("__rtruediv__", computed<'/', PyNumber_TrueDivide, kSwapped>)
      .def("__pow__", computed<'^', power>)
      .def("__rpow__", computed<'^', power, kSwapped>)
      .def("__floordiv__", computed<0, PyNumber_FloorDivide>)
      .def("__rfloordiv__", computed<0, PyNumber_FloorDivide, kSwapped>)
      .def("__mod__", computed<0, PyNumber_Remainder>)
      .def("__rmod__", computed<0, PyNumber_Remainder, kSwapped>)
      .def("__divmod__", computed<0, PyNumber_Divmod>)
      .def("__rdivmod__", computed<0, PyNumber_Divmod, kSwapped>)
      .def("__neg__",
           [](const SizeFloatObject& self) {  // -x, which 0 - x is not for 0
             return SizeFloatObject{{self.attrs.sizes, self.attrs.formula + " -1 *"}};
           })
      .def("__pos__", [](const SizeFloatObject& self) { return self; });
}

void add_conversions(nb::class_<SizeFloatObject>& type) {
  type.def("__float__", decided)
      .def("__int__", [](const SizeFloatObject& self) { return of_float(self, "__int__"); })
      .def("__trunc__", [](const SizeFloatObject& self) { return of_float(self, "__trunc__"); })
      .def("__floor__", [](const SizeFloatObject& self) { return of_float(self, "__floor__"); })
      .def("__ceil__", [](const SizeFloatObject& self) { return of_float(self, "__ceil__"); })
      .def("__abs__", [](const SizeFloatObject& self) { return of_float(self, "__abs__"); })
      .def("__bool__", [](const SizeFloatObject& self) { return decided(self) != 0; })
      .def("is_integer", [](const SizeFloatObject& self) { return of_float(self, "is_integer"); })
      .def("__hash__",
           [](const SizeFloatObject& self) { return PyObject_Hash(as_float(self).ptr()); })
      .def("__round__", [](const SizeFloatObject& self,
                           nb::args digits) { return as_float(self).attr("__round__")(*digits); })
      .def("__format__",
           [](const SizeFloatObject& self, nb::handle format) {
             return nb::steal(
                 checked(PyObject_Format(as_float(self).ptr(), format.ptr())).give_up());
           })
      // NumPy's functions take a float.
      .def("__array__",
           [](const SizeFloatObject& self, nb::args given, nb::kwargs) {
             return nb::module_::import_("numpy").attr("array")(as_float(self), *given);
           })
      .def("__repr__", [](const SizeFloatObject& self) { return infix(self.attrs); });
}

}  // namespace

const SizeFloatAttrs* size_float_in(PyObject* object) {
  if (PyFloat_CheckExact(object) || !nb::isinstance<SizeFloatObject>(nb::handle(object))) {
    return nullptr;
  }
  return &nb::cast<const SizeFloatObject&>(nb::handle(object)).attrs;
}

std::optional<SizeFloatAttrs> formula_in(PyObject* object) {
  if (PyBool_Check(object)) return {};
  // A float64 of NumPy is a float, too, and an array: it would make float64 of what it meets.
  if (PyFloat_CheckExact(object)) return SizeFloatAttrs{{}, text(PyFloat_AS_DOUBLE(object))};
  if (PyLong_Check(object)) {
    const double value = PyLong_AsDouble(object);
    if (value == -1 && PyErr_Occurred()) throw PendingError();
    return SizeFloatAttrs{{}, text(value)};
  }
  if (const std::optional<Dim> size = dim_in(object)) return SizeFloatAttrs{{*size}, "size"};
  const SizeFloatAttrs* const found = size_float_in(object);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

PyObject* size_float_of(char operation, const SizeFloatAttrs& a, const SizeFloatAttrs& b) {
  SizeFloatAttrs out{a.sizes, text(a.formula, ' ', b.formula, ' ', operation)};
  for (const Dim size : b.sizes) out.sizes.push_back(size);
  if (out.formula.size() > kLongest || !is_float_here(out)) return nullptr;
  return nb::cast(SizeFloatObject{std::move(out)}).release().ptr();
}

void add_size_float_type(nb::module_& m) {
  nb::class_<SizeFloatObject> type(
      m, "SizeFloat",
      "A float computed from sizes of traced tensors, 1 / x.shape[0]: it computes like a float in "
      "the graph, a comparison is decided by the sizes of the call that is traced, and "
      "float(value) "
      "makes it a constant.");
  add_arithmetic(type);
  add_conversions(type);
  type.def("__eq__", compared<Py_EQ>, nb::is_operator())
      .def("__ne__", compared<Py_NE>, nb::is_operator())
      .def("__lt__", compared<Py_LT>, nb::is_operator())
      .def("__gt__", compared<Py_GT>, nb::is_operator())
      .def("__le__", compared<Py_LE>, nb::is_operator())
      .def("__ge__", compared<Py_GE>, nb::is_operator());
}

}  // namespace weft::python
