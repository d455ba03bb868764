// Dtypes as Python objects, and what else is taken for one.
#include "bindings/dtype_object.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "weft/base/error.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

struct DTypeObject {
  DType dtype;
  std::string name() const { return std::string(name_of(dtype)); }
};
PyObject* objects[kNumDTypes];

std::string kind_name(const DTypeObject& self) {
  switch (kind_of(self.dtype)) {
    case Kind::kBool: return "bool";
    case Kind::kInteger:
      return is_signed_integer(self.dtype) ? "signed integer" : "unsigned integer";
    case Kind::kFloating: return "real floating";
    case Kind::kComplex: return "complex floating";
  }
  return "";
}

std::optional<DType> from_type(PyObject* type) {
  if (type == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::kF32;
  if (type == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::kI64;
  if (type == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::kBool;
  if (type == reinterpret_cast<PyObject*>(&PyComplex_Type)) return DType::kC64;
  std::string_view name = reinterpret_cast<PyTypeObject*>(type)->tp_name;
  if (const size_t dot = name.rfind('.'); dot != std::string_view::npos)
    name.remove_prefix(dot + 1);
  if (name == "bool_") name = "bool";
  return parse_dtype(name);
}

// numpy.dtype("float32"), without importing NumPy.
std::optional<DType> from_numpy_dtype(PyObject* object) {
  if (!std::string_view(Py_TYPE(object)->tp_name).starts_with("numpy.")) return {};
  const Ref name(PyObject_GetAttrString(object, "name"));
  if (!name || !PyUnicode_Check(name.get())) {
    PyErr_Clear();
    return {};
  }
  const Ref native(PyObject_GetAttrString(object, "isnative"));
  if (native && native.get() == Py_False) return {};
  PyErr_Clear();
  return parse_dtype(text_of(name.get()));
}

// DType.__new__(DType) makes one without a value.
bool is_dtype(nb::handle object) {
  return nb::isinstance<DTypeObject>(object) && nb::inst_ready(object);
}

std::optional<DType> find_dtype(PyObject* object) {
  if (is_dtype(object)) {
    return nb::inst_ptr<DTypeObject>(nb::handle(object))->dtype;
  }
  if (PyUnicode_Check(object)) return parse_dtype(text_of(object));
  if (PyType_Check(object)) return from_type(object);
  return from_numpy_dtype(object);
}

nb::object numpy_dtype(const DTypeObject& self) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (self.dtype != DType::kBF16) return numpy.attr("dtype")(self.name());
  return numpy.attr("dtype")(nb::module_::import_("ml_dtypes").attr("bfloat16"));
}

// Only what has the same hash is equal; NumPy decides about its own dtypes.
nb::object equal(const DTypeObject& self, nb::handle other) {
  if (is_dtype(other)) {
    return nb::bool_(nb::inst_ptr<DTypeObject>(other)->dtype == self.dtype);
  }
  if (PyUnicode_Check(other.ptr())) return nb::bool_(text_of(other.ptr()) == self.name());
  return nb::borrow(Py_NotImplemented);
}

}  // namespace

void add_dtypes(PyObject* module) {
  nb::module_ m = nb::borrow<nb::module_>(module);
  nb::class_<DTypeObject>(m, "DType",
                          "An element type: wf.float32, wf.int64, ... Equal to its name, "
                          "'float32', and of its hash.\n\n"
                          "np.dtype(wf.float32) is NumPy's dtype, to which it is equal, too; but "
                          "not to np.float32, the "
                          "type of NumPy's\nscalars, whose hash differs.")
      .def_prop_ro("name", &DTypeObject::name)
      .def_prop_ro("itemsize", [](const DTypeObject& self) { return size_of(self.dtype); })
      .def_prop_ro("kind", kind_name)
      .def_prop_ro("dtype", numpy_dtype, "The dtype of NumPy, which np.dtype(wf.float32) asks for.")
      .def("__str__", &DTypeObject::name)
      .def("__eq__", equal, nb::arg("other").none(), nb::is_operator())
      .def("__hash__",
           [](const DTypeObject& self) { return nb::hash(nb::str(self.name().c_str())); })
      .def("__repr__", [](const DTypeObject& self) { return "weft." + self.name(); })
      .def("__reduce__", [](const DTypeObject& self) { return self.name(); });
  for (int i = 0; i < kNumDTypes; ++i) {
    const DTypeObject dtype{static_cast<DType>(i)};
    objects[i] = nb::cast(dtype).release().ptr();
    m.attr(dtype.dtype == DType::kBool ? "bool" : dtype.name().c_str()) = nb::handle(objects[i]);
  }
}

PyObject* dtype_object(DType dtype) { return objects[static_cast<int>(dtype)]; }

DType dtype_from(PyObject* object, Asker asker) {
  if (const std::optional<DType> dtype = find_dtype(object)) return *dtype;
  fail(Code::kType, asker.op, "argument", asker.argument, " must be a dtype such as wf.float32 or ",
       "'float32', but got ", short_repr(object));
}

}  // namespace weft::python
