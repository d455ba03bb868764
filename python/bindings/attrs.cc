// Attributes from Python objects and back, by the type of the field.
#include <cmath>

#include "bindings/dim_object.h"
#include "bindings/from_python.h"
#include "bindings/size_field.h"
#include "bindings/tensor_object.h"
#include "bindings/value.h"
#include "weft/base/error.h"
#include "weft/op/scope.h"

namespace weft::python {
namespace {

[[noreturn]] void fail_kind(Asker asker, std::string_view wanted, PyObject* got) {
  fail(Code::kType, asker.op, "argument", asker.argument, " must be ", wanted, ", but got ",
       short_repr(got));
}

bool is_numpy_bool(PyObject* object) {
  const std::string_view name = Py_TYPE(object)->tp_name;
  return name == "numpy.bool" || name == "numpy.bool_";
}

bool bool_from(PyObject* object, Asker asker) {
  if (PyBool_Check(object)) return object == Py_True;
  if (!is_numpy_bool(object)) fail_kind(asker, "True or False", object);
  return PyObject_IsTrue(object) == 1;
}

template <class T, class Convert>
std::optional<T> optional_from(PyObject* object, Convert convert) {
  return object == Py_None ? std::optional<T>() : std::optional<T>(convert());
}

// Sizes of traced tensors stay what they are.
Dim size_from(PyObject* object, Asker asker, bool is_optional) {
  if (const std::optional<Dim> size = dim_in(object)) return *size;
  const int64_t value = int_from(object, asker);
  if (is_optional && value < 0) {  // which would mean that it is left out
    fail(Code::kInvalid, asker.op, "negative", asker.argument, " is ", value,
         "; it must be at least 0");
  }
  // What is further from 0 would read as a symbol, and is no size either.
  return std::max(value, -INT64_MAX / 4);
}
Shape shape_from(PyObject* object, Asker asker) {
  if (const std::optional<Dim> one = dim_in(object)) return {*one};
  bool is_symbolic = false;
  if (PyTuple_Check(object) || PyList_Check(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      is_symbolic |= dim_in(PySequence_Fast_GET_ITEM(object, i)).has_value();
    }
  }
  if (!is_symbolic) {
    const Ints extents = ints_from(object, asker);
    return Shape(extents.begin(), extents.end());
  }
  Shape out;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(object, i);
    const std::optional<Dim> dim = dim_in(item);
    out.push_back(dim ? *dim : Dim(int_from(item, asker)));
  }
  return out;
}

// One of several axes or extents. Very negative ones would read as symbolic dims.
int64_t list_item(PyObject* object, Asker asker) {
  const int64_t value = int_from(object, asker);
  if (value <= -(int64_t{1} << 62)) {
    fail(Code::kOverflow, asker.op, "argument", asker.argument, " holds ", value,
         ", which is no axis and no extent");
  }
  return value;
}

template <class List>
PyObject* tuple_of(const List& list) {
  Ref out = checked(PyTuple_New(static_cast<Py_ssize_t>(list.size())));
  for (size_t i = 0; i < list.size(); ++i) {
    PyTuple_SET_ITEM(out.get(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(list[i]));
  }
  return out.give_up();
}

Ints values_of(const Shape& shape) {
  Ints out;
  for (Dim dim : shape) out.push_back(dim.value());
  return out;
}

template <class T>
const T& at(const FieldInfo& field, const void* attrs) {
  return *static_cast<const T*>(field.in(attrs));
}

PyObject* none() { return Py_NewRef(Py_None); }

}  // namespace

int64_t int_from(PyObject* object, Asker asker) {
  if (PyBool_Check(object) || !PyIndex_Check(object)) fail_kind(asker, "an integer", object);
  const Ref number(PyNumber_Index(object));
  if (!number) {
    const bool may_be_one =
        is_tensor(object) && tensor_of(object).rank() == 0 && is_integer(tensor_of(object).dtype());
    if (may_be_one && !has_concrete_value(tensor_of(object))) throw PendingError();  // under vmap
    PyErr_Clear();
    fail_kind(asker, "an integer", object);
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow != 0) {
    fail(Code::kOverflow, asker.op, "argument", asker.argument, " is ", short_repr(number.get()),
         ", which does not fit in 64 bits");
  }
  return value;
}

double float_from(PyObject* object, Asker asker) {
  if (PyFloat_CheckExact(object)) return PyFloat_AS_DOUBLE(object);
  if (PyUnicode_Check(object) || PyBool_Check(object) || !PyNumber_Check(object)) {
    fail_kind(asker, "a number", object);
  }
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred()) {
    const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError);
    PyErr_Clear();
    if (too_large) {
      fail(Code::kOverflow, asker.op, "argument", asker.argument, " is ", short_repr(object),
           ", which does not fit in a float");
    }
    fail_kind(asker, "a number", object);
  }
  return value;
}

Ints ints_from(PyObject* object, Asker asker) {
  if (PyIndex_Check(object) && !PyBool_Check(object) &&
      !(is_tensor(object) && tensor_of(object).rank() > 0)) {
    // NumPy arrays claim to be indices, too: those with axes are sequences.
    const Ref number(PyNumber_Index(object));
    if (number) return {list_item(number.get(), asker)};
    PyErr_Clear();
  }
  if (PyUnicode_Check(object) || PyBytes_Check(object) || !PySequence_Check(object)) {
    fail_kind(asker, "an integer or a tuple of integers", object);
  }
  std::optional<ScopeIs>
      now;  // reads elements of a concrete tensor now, also where a graph is open
  if (is_tensor(object) && tensor_of(object).is_concrete()) now.emplace(nullptr);
  // By length and position: an iteration might never end.
  const Py_ssize_t count = PySequence_Size(object);
  Ints out;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Ref item(PySequence_GetItem(object, i));
    if (!item) break;
    out.push_back(list_item(item.get(), asker));
  }
  if (PyErr_Occurred()) {
    PyErr_Clear();
    fail_kind(asker, "an integer or a tuple of integers", object);
  }
  return out;
}

const FieldInfo* word_field(const AttrsType& type, const FieldInfo& field) {
  if (field.type != FieldType::kInts) return nullptr;
  const FieldInfo* const word = type.find("auto_" + std::string(field.name));
  return word != nullptr && word->type == FieldType::kString ? word : nullptr;
}

bool is_list_of_pairs(PyObject* object) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return false;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(object, i);
    if (!PyTuple_Check(item) && !PyList_Check(item)) return false;
    if (PySequence_Fast_GET_SIZE(item) != 2) return false;
  }
  return count > 0;
}

Ref in_a_row(PyObject* pairs, Asker asker) {
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(pairs);
  if (count == 1 && !asker.op.ends_with("1d")) {  // its two numbers would be read as one an axis
    fail(Code::kType, asker.op, "argument", asker.argument,
         " is one pair; give a (before, behind) pair for each axis of space");
  }
  Ref out = checked(PyTuple_New(2 * count));
  for (Py_ssize_t i = 0; i < 2 * count; ++i) {
    PyObject* const pair = PySequence_Fast_GET_ITEM(pairs, i / 2);
    PyTuple_SET_ITEM(out.get(), i, Py_NewRef(PySequence_Fast_GET_ITEM(pair, i % 2)));
  }
  return out;
}

bool takes_none(const FieldInfo& field, const void* defaults) {
  switch (field.type) {
    case FieldType::kOptionalInt:
    case FieldType::kOptionalFloat:
    case FieldType::kOptionalDType:
    case FieldType::kOptionalInts: return true;
    case FieldType::kDType: return !field.required;
    case FieldType::kString:  // the norm of a Fourier transform is None in NumPy, too
      return !field.required && (field.name == "norm" || at<std::string>(field, defaults).empty());
    case FieldType::kInts: return !field.required && at<Ints>(field, defaults).empty();
    case FieldType::kShape:
      return is_optional_size(field, defaults) ||
             (!field.required && at<Shape>(field, defaults).empty());
    default: return false;
  }
}

void set_field(const FieldInfo& field, void* attrs, PyObject* object, std::string_view op) {
  const Asker asker{op, field.name};
  void* const to = field.in(attrs);
  const auto put = [&]<class T>(T value) { *static_cast<T*>(to) = std::move(value); };
  const auto as_int = [&] { return int_from(object, asker); };
  const auto as_float = [&] { return float_from(object, asker); };
  const auto as_dtype = [&] { return dtype_from(object, asker); };
  const auto as_ints = [&] { return ints_from(object, asker); };
  switch (field.type) {
    case FieldType::kBool: return put(bool_from(object, asker));
    case FieldType::kInt: return put(as_int());
    case FieldType::kFloat: return put(as_float());
    case FieldType::kString:
      if (!PyUnicode_Check(object)) fail_kind(asker, "a string", object);
      return put(std::string(text_of(object)));
    case FieldType::kDType: return put(as_dtype());
    case FieldType::kInts: return put(as_ints());
    case FieldType::kShape:
      if (!is_one_size(field, attrs)) return put(shape_from(object, asker));
      return put(Shape{size_from(object, asker, is_optional_size(field, attrs))});
    case FieldType::kIndex: return put(index_from(object, asker));
    case FieldType::kOptionalInt: return put(optional_from<int64_t>(object, as_int));
    case FieldType::kOptionalFloat: return put(optional_from<double>(object, as_float));
    case FieldType::kOptionalDType: return put(optional_from<DType>(object, as_dtype));
    case FieldType::kOptionalInts: return put(optional_from<Ints>(object, as_ints));
    // Graphs alone have these: no function that people call takes one as a keyword.
    case FieldType::kTensor:
    case FieldType::kVariable:
    case FieldType::kFunction:
    case FieldType::kFunctions: fail_kind(asker, "nothing from Python", object);
  }
}

PyObject* field_to_python(const FieldInfo& field, const void* attrs) {
  switch (field.type) {
    case FieldType::kBool: return PyBool_FromLong(at<bool>(field, attrs));
    case FieldType::kInt: return PyLong_FromLongLong(at<int64_t>(field, attrs));
    case FieldType::kFloat: return PyFloat_FromDouble(at<double>(field, attrs));
    case FieldType::kString: return to_python(at<std::string>(field, attrs));
    case FieldType::kDType: return Py_NewRef(dtype_object(at<DType>(field, attrs)));
    case FieldType::kInts: return tuple_of(at<Ints>(field, attrs));
    case FieldType::kShape: return tuple_of(values_of(at<Shape>(field, attrs)));
    case FieldType::kIndex:
    case FieldType::kTensor:
    case FieldType::kVariable:
    case FieldType::kFunction:
    case FieldType::kFunctions: return to_python(print_field(field, attrs));
    case FieldType::kOptionalInt: {
      const auto& value = at<std::optional<int64_t>>(field, attrs);
      return value ? PyLong_FromLongLong(*value) : none();
    }
    case FieldType::kOptionalFloat: {
      const auto& value = at<std::optional<double>>(field, attrs);
      return value ? PyFloat_FromDouble(*value) : none();
    }
    case FieldType::kOptionalDType: {
      const auto& value = at<std::optional<DType>>(field, attrs);
      return value ? Py_NewRef(dtype_object(*value)) : none();
    }
    case FieldType::kOptionalInts: {
      const auto& value = at<std::optional<Ints>>(field, attrs);
      return value ? tuple_of(*value) : none();
    }
  }
  return none();
}

}  // namespace weft::python
