// weft.Dim: computes with sizes, decides comparisons, becomes an int where one is needed.
#include "bindings/dim_object.h"

#include <nanobind/stl/string.h>

#include "bindings/from_python.h"
#include "bindings/line.h"
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

template <class F>
auto binary(F f) {
  return [f](const DimObject& self, nb::handle other) -> nb::object {
    const std::optional<Dim> with = operand(other);
    return with ? given(f(self.dim, *with)) : not_implemented();
  };
}

// A comparison that the sizes leave open is decided by the trace, which notes it.
bool decided(Tri answer, Dim a, Dim b) {
  if (answer != Tri::kUnknown) return answer == Tri::kYes;
  fail(Code::kInvalid, "shape", "symbolic", "whether ", a, " is less than ", b,
       " is known only when the graph runs; give the placeholder its size, or compare inside of "
       "wf.cond");
}

template <class F>
auto compared(F f) {
  return [f](const DimObject& self, nb::handle other) -> nb::object {
    const std::optional<Dim> with = operand(other);
    if (!with) return not_implemented();
    const CalledFrom line(python_line());  // what the trace notes where it decides
    return nb::object(nb::bool_(f(self.dim, *with)));
  };
}

int64_t decided_here(Dim dim) {
  const CalledFrom line(python_line());
  return dim.value();
}

bool less(Dim a, Dim b) { return decided(decide_less(a, b), a, b); }
bool equal(Dim a, Dim b) { return decide_same(a, b) == Tri::kYes; }

}  // namespace

PyObject* dim_to_python(Dim dim) {
  if (dim.is_known()) return PyLong_FromLongLong(dim.value());
  return nb::cast(DimObject{dim}).release().ptr();
}

std::optional<Dim> dim_in(PyObject* object) {
  if (PyLong_CheckExact(object) || !nb::isinstance<DimObject>(nb::handle(object))) return {};
  return nb::cast<const DimObject&>(nb::handle(object)).dim;
}

void add_dim_type(nb::module_& m) {
  const auto add = [](Dim a, Dim b) { return a + b; };
  const auto multiply = [](Dim a, Dim b) { return a * b; };
  const auto subtract = [](Dim a, Dim b) { return a - b; };
  const auto swapped = [](auto f) { return [f](Dim a, Dim b) { return f(b, a); }; };
  const auto modulo = [](Dim a, Dim b) { return a - floor_div(a, b) * b; };
  nb::class_<DimObject>(
      m, "Dim",
      "A size of a traced tensor: it computes like an int, a comparison is decided "
      "by the sizes of the call that is traced, and int(dim) makes it a constant.")
      .def("__add__", binary(add))
      .def("__radd__", binary(add))
      .def("__sub__", binary(subtract))
      .def("__rsub__", binary(swapped(subtract)))
      .def("__mul__", binary(multiply))
      .def("__rmul__", binary(multiply))
      .def("__floordiv__", binary([](Dim a, Dim b) { return floor_div(a, b); }))
      .def("__rfloordiv__", binary([](Dim a, Dim b) { return floor_div(b, a); }))
      .def("__mod__", binary(modulo))
      .def("__neg__", [](const DimObject& self) { return given(Dim(0) - self.dim); })
      .def("__eq__", compared(equal))
      .def("__ne__", compared([](Dim a, Dim b) { return !equal(a, b); }))
      .def("__lt__", compared(less))
      .def("__gt__", compared([](Dim a, Dim b) { return less(b, a); }))
      .def("__le__", compared([](Dim a, Dim b) { return !less(b, a); }))
      .def("__ge__", compared([](Dim a, Dim b) { return !less(a, b); }))
      .def("__hash__",
           [](const DimObject& self) {
             return static_cast<Py_hash_t>(std::hash<std::string>()(to_string(self.dim)));
           })
      .def("__index__", [](const DimObject& self) { return decided_here(self.dim); })
      .def("__int__", [](const DimObject& self) { return decided_here(self.dim); })
      .def("__float__",
           [](const DimObject& self) { return static_cast<double>(decided_here(self.dim)); })
      .def("__bool__", [](const DimObject& self) { return !equal(self.dim, Dim(0)); })
      .def("__truediv__",
           [](const DimObject& self, double by) {
             return static_cast<double>(decided_here(self.dim)) / by;
           })
      .def("__repr__", [](const DimObject& self) { return to_string(self.dim); });
  m.def("_symbol", [](const std::string& name) { return given(Dim::symbol(name)); });
  m.def("_parse_dim", [](const std::string& text) {
    const std::optional<Dim> dim = parse_dim(text);
    if (!dim) fail(Code::kInvalid, "shape", "parse", "'", text, "' is no size");
    return given(*dim);
  });
}

}  // namespace weft::python
