// weft.Dim: computes with sizes, decides comparisons, becomes an int where one is needed.
#include "bindings/dim_object.h"

#include <nanobind/stl/string.h>

#include "bindings/from_python.h"
#include "bindings/line.h"
#include "bindings/size_number.h"
#include "weft/base/error.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

struct DimObject {
  Dim dim;
};

std::optional<Dim> operand(nb::handle object) {
  if (const std::optional<Dim> dim = dim_in(object.ptr())) return dim;
  if (PyLong_Check(object.ptr()) && !PyBool_Check(object.ptr())) {
    return Dim(int_from(object.ptr(), {"Dim", "the other size"}));
  }
  return {};
}

nb::object given(Dim dim) { return nb::steal(dim_to_python(dim)); }
nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

std::vector<Dim> symbols_of(Dim dim) {
  std::vector<Dim> out;
  append_symbols(out, dim);
  return out;
}

// A comparison that the sizes leave open is decided by the trace, which notes it.
bool decided(Tri answer, Dim a, Dim b) {
  if (answer != Tri::kUnknown) return answer == Tri::kYes;
  fail(Code::kInvalid, "shape", "symbolic", "whether ", a, " is less than ", b,
       " is known only when the graph runs; give the placeholder its size, or choose by a tensor: "
       "wf.cond(wf.tensor(size) < other, ...)");
}

// In an operation that neither sizes nor formulas have it is the int of the call that is traced.
nb::object as_int(Dim dim) { return nb::object(nb::int_(value_here(dim))); }

using Operation = PyObject* (*)(PyObject*, PyObject*);

template <Operation operation, bool is_swapped = false>
nb::object by_ints(const DimObject& self, nb::handle other) {
  const std::optional<Dim> dim = dim_in(other.ptr());
  if (!dim && !PyLong_Check(other.ptr()) && !PyFloat_Check(other.ptr())) return not_implemented();
  const nb::object a = as_int(self.dim), b = dim ? as_int(*dim) : nb::borrow(other);
  const nb::object &left = is_swapped ? b : a, &right = is_swapped ? a : b;
  return nb::steal(checked(operation(left.ptr(), right.ptr())).give_up());
}
PyObject* power(PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); }

// What gives a float, as a formula; else of ints. `sign` is what formulas call the operation.
template <char sign, Operation operation, bool is_swapped = false>
nb::object by_formula(const DimObject& self, nb::handle other) {
  const std::optional<SizeFloatAttrs> with = formula_in(other.ptr());
  if (with && sign != 0) {
    const SizeFloatAttrs here{{self.dim}, "size"};
    const SizeFloatAttrs &a = is_swapped ? *with : here, &b = is_swapped ? here : *with;
    if (PyObject* const out = size_float_of(sign, a, b)) return nb::steal(out);
  }
  return by_ints<operation, is_swapped>(self, other);
}

// A size to a small power is a product of sizes; to a negative one, or that of a float, a float.
nb::object raised(const DimObject& self, nb::handle exponent) {
  constexpr int64_t kMost = 8;
  if (!PyLong_Check(exponent.ptr()) || PyBool_Check(exponent.ptr())) {
    const bool is_float = PyFloat_Check(exponent.ptr()) || size_float_in(exponent.ptr()) != nullptr;
    return is_float ? by_formula<'^', power>(self, exponent) : by_ints<power>(self, exponent);
  }
  const int64_t times = int_from(exponent.ptr(), {"Dim", "the exponent"});
  if (times < 0) return by_formula<'^', power>(self, exponent);
  if (times > kMost) return by_ints<power>(self, exponent);
  Dim out = 1;
  for (int64_t i = 0; i < times; ++i) out *= self.dim;
  return given(out);
}

// Of a float to the power of a size; an integer stays one, as long as it may.
nb::object as_exponent(const DimObject& self, nb::handle base) {
  const bool is_float = PyFloat_Check(base.ptr()) || size_float_in(base.ptr()) != nullptr;
  return is_float ? by_formula<'^', power, true>(self, base) : by_ints<power, true>(self, base);
}

// Of sizes, a size; with floats, one of them.
template <char sign, Operation operation, bool is_swapped, class F>
auto binary(F f) {
  return [f](const DimObject& self, nb::handle other) -> nb::object {
    const std::optional<Dim> with = operand(other);
    if (!with) return by_formula<sign, operation, is_swapped>(self, other);
    return given(is_swapped ? f(*with, self.dim) : f(self.dim, *with));
  };
}

template <class F>
auto compared(F f, int operation) {
  return [f, operation](const DimObject& self, nb::handle other) -> nb::object {
    if (PyFloat_Check(other.ptr())) {
      return nb::steal(
          checked(PyObject_RichCompare(as_int(self.dim).ptr(), other.ptr(), operation)).give_up());
    }
    const std::optional<Dim> with = operand(other);
    if (!with) return not_implemented();
    const CalledFrom line(python_line());  // what the trace notes where it decides
    return nb::object(nb::bool_(f(self.dim, *with)));
  };
}

bool less(Dim a, Dim b) { return decided(decide_less(a, b), a, b); }
bool equal(Dim a, Dim b) { return decide_same(a, b) == Tri::kYes; }

}  // namespace

int64_t value_here(Dim dim) {
  if (dim.is_known()) return dim.value();
  const CalledFrom line(python_line());
  return dim.value();
}

PyObject* dim_to_python(Dim dim) {
  if (dim.is_known()) return PyLong_FromLongLong(dim.value());
  return nb::cast(DimObject{dim}).release().ptr();
}

std::optional<Dim> dim_in(PyObject* object) {
  if (PyLong_CheckExact(object) || !nb::isinstance<DimObject>(nb::handle(object))) return {};
  return nb::cast<const DimObject&>(nb::handle(object)).dim;
}

void add_dim_type(nb::module_& m) {
  constexpr bool kSwapped = true;
  const auto add = [](Dim a, Dim b) { return a + b; };
  const auto multiply = [](Dim a, Dim b) { return a * b; };
  const auto subtract = [](Dim a, Dim b) { return a - b; };
  const auto divide = [](Dim a, Dim b) { return floor_div(a, b); };
  const auto modulo = [](Dim a, Dim b) { return a - floor_div(a, b) * b; };
  nb::class_<DimObject>(
      m, "Dim",
      "A size of a traced tensor: it computes like an int, a comparison is decided "
      "by the sizes of the call that is traced, and int(dim) makes it a constant.")
      .def("__add__", binary<'+', PyNumber_Add, !kSwapped>(add))
      .def("__radd__", binary<'+', PyNumber_Add, kSwapped>(add))
      .def("__sub__", binary<'-', PyNumber_Subtract, !kSwapped>(subtract))
      .def("__rsub__", binary<'-', PyNumber_Subtract, kSwapped>(subtract))
      .def("__mul__", binary<'*', PyNumber_Multiply, !kSwapped>(multiply))
      .def("__rmul__", binary<'*', PyNumber_Multiply, kSwapped>(multiply))
      .def("__floordiv__", binary<0, PyNumber_FloorDivide, !kSwapped>(divide))
      .def("__rfloordiv__", binary<0, PyNumber_FloorDivide, kSwapped>(divide))
      .def("__mod__", binary<0, PyNumber_Remainder, !kSwapped>(modulo))
      .def("__rmod__", binary<0, PyNumber_Remainder, kSwapped>(modulo))
      .def("__neg__", [](const DimObject& self) { return given(Dim(0) - self.dim); })
      .def("__pos__", [](const DimObject& self) { return given(self.dim); })
      .def("__abs__",
           [](const DimObject& self) {
             return nb::steal(checked(PyNumber_Absolute(as_int(self.dim).ptr())).give_up());
           })
      .def("__pow__", raised)
      .def("__rpow__", as_exponent)
      .def("__truediv__", by_formula<'/', PyNumber_TrueDivide>)
      .def("__rtruediv__", by_formula<'/', PyNumber_TrueDivide, kSwapped>)
      .def("__divmod__", by_ints<PyNumber_Divmod>)
      .def("__rdivmod__", by_ints<PyNumber_Divmod, kSwapped>)
      .def("__and__", by_ints<PyNumber_And>)
      .def("__or__", by_ints<PyNumber_Or>)
      .def("__xor__", by_ints<PyNumber_Xor>)
      .def("__lshift__", by_ints<PyNumber_Lshift>)
      .def("__rlshift__", by_ints<PyNumber_Lshift, kSwapped>)
      .def("__rshift__", by_ints<PyNumber_Rshift>)
      .def("__rrshift__", by_ints<PyNumber_Rshift, kSwapped>)
      // is_operator: None is equal to no size, and any other object may compare itself.
      .def("__eq__", compared(equal, Py_EQ), nb::is_operator())
      .def("__ne__", compared([](Dim a, Dim b) { return !equal(a, b); }, Py_NE), nb::is_operator())
      .def("__lt__", compared(less, Py_LT), nb::is_operator())
      .def("__gt__", compared([](Dim a, Dim b) { return less(b, a); }, Py_GT), nb::is_operator())
      .def("__le__", compared([](Dim a, Dim b) { return !less(b, a); }, Py_LE), nb::is_operator())
      .def("__ge__", compared([](Dim a, Dim b) { return !less(a, b); }, Py_GE), nb::is_operator())
      // A set or a dict must find it where it finds the int.
      .def("__hash__", [](const DimObject& self) { return PyObject_Hash(as_int(self.dim).ptr()); })
      .def("__index__", [](const DimObject& self) { return value_here(self.dim); })
      .def("__int__", [](const DimObject& self) { return value_here(self.dim); })
      .def("__float__",
           [](const DimObject& self) { return static_cast<double>(value_here(self.dim)); })
      .def("__bool__", [](const DimObject& self) { return !equal(self.dim, Dim(0)); })
      .def("__format__",
           [](const DimObject& self, nb::handle format) -> nb::object {
             if (PyObject_Length(format.ptr()) == 0) return nb::cast(to_string(self.dim));
             return nb::steal(
                 checked(PyObject_Format(as_int(self.dim).ptr(), format.ptr())).give_up());
           })
      .def("__repr__", [](const DimObject& self) { return to_string(self.dim); });
  m.def("_symbol", [](const std::string& name) {
    const std::optional<Dim> dim = parse_dim(name);  // what a text can say
    if (dim && symbols_of(*dim) == std::vector<Dim>{*dim}) return given(*dim);
    fail(Code::kInvalid, "shape", "name", "'", name,
         "' is no name of a size; names are of letters, digits and _, and begin with no digit");
  });
  m.def("_symbols_of", [](nb::handle dim) {
    nb::list out;
    for (const Dim one : symbols_of(dim_in(dim.ptr()).value_or(Dim(0)))) out.append(to_string(one));
    return out;
  });
  m.def("_parse_dim", [](const std::string& text) {
    const std::optional<Dim> dim = parse_dim(text);
    if (!dim) fail(Code::kInvalid, "shape", "parse", "'", text, "' is no size");
    return given(*dim);
  });
}

}  // namespace weft::python
