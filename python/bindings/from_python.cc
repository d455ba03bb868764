// An input of an op from whatever object the caller has.
#include "bindings/from_python.h"
#include "bindings/dim_object.h"
#include "bindings/fitted.h"
#include "bindings/line.h"
#include "bindings/size_number.h"
#include "weft/state/state.h"

#include "bindings/tensor_object.h"
#include "bindings/value.h"
#include "weft/base/error.h"
#include "weft/core/native.h"
#include "weft/core/scalar.h"
#include "weft/op/builtin.h"
#include "weft/op/promote.h"

namespace weft::python {

bool is_numpy_object(PyObject* object) {
  for (const PyTypeObject* type = Py_TYPE(object); type != nullptr; type = type->tp_base) {
    if (std::string_view(type->tp_name).starts_with("numpy.")) return true;
  }
  return false;
}

namespace {

bool is_plain_number(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
         PyComplex_CheckExact(object);
}
// Numbers of subclasses (an IntEnum); NumPy's scalars are tested for before.
bool is_number(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object);
}

Tensor weak_integer(PyObject* object, Asker asker) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) return Tensor(value);
  const uint64_t large = PyLong_AsUnsignedLongLong(object);  // above int64, uint64 may take it
  if (!(large == static_cast<uint64_t>(-1) && PyErr_Occurred())) return weak_scalar_of(large);
  PyErr_Clear();
  fail(Code::kOverflow, asker.op, "argument", asker.argument, " is ", short_repr(object),
       ", which does not fit in 64 bits");
}

Tensor weak_number(PyObject* object, Asker asker) {
  if (PyBool_Check(object)) return Tensor(object == Py_True);
  if (PyFloat_Check(object)) return Tensor(PyFloat_AS_DOUBLE(object));
  if (!PyComplex_Check(object)) return weak_integer(object, asker);
  const Py_complex value = PyComplex_AsCComplex(object);
  return weak_scalar_of(Complex128{value.real, value.imag});
}

DType default_dtype(PyObject* number) {
  if (PyBool_Check(number)) return DType::kBool;
  if (PyFloat_Check(number)) return DType::kF32;
  return PyComplex_Check(number) ? DType::kC64 : DType::kI64;
}

Tensor strong_number(PyObject* object, std::optional<DType> dtype, Asker asker) {
  const Tensor out = Tensor::empty(dtype.value_or(default_dtype(object)), {});
  write_number(object, out.dtype(), out.writable_data(), asker);
  return out;
}

// numpy.asarray(object), for what offers __array__ alone.
Ref as_numpy(PyObject* object, Asker asker) {
  const Ref numpy = checked(PyImport_ImportModule("numpy"));
  Ref array(PyObject_CallMethod(numpy.get(), "asarray", "O", object));
  if (!array && !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    PyErr_Clear();
    fail(Code::kType, asker.op, "argument", asker.argument, ": __array__ of ", type_name_of(object),
         " raised; numpy.asarray(", asker.argument, ") shows why");
  }
  return checked(array.give_up());
}

bool has(PyObject* object, const char* name) {
  const Ref attribute(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), name));
  PyErr_Clear();
  return static_cast<bool>(attribute);
}

// The numbers of a range. Numbers that fit int64 are written directly: a Python list of them would
// take five times the memory.
Tensor from_range(PyObject* range, std::optional<DType> dtype, Asker asker) {
  const Py_ssize_t count = PyObject_Size(range);
  if (count < 0) {
    PyErr_Clear();
    fail(Code::kOverflow, asker.op, "argument", asker.argument,
         " is a range of 2**63 numbers or more; a tensor holds less");
  }
  Tensor out = Tensor::empty(DType::kI64, Shape{Dim(count)});  // raises if there is no memory
  if (!dtype && count > 0) {
    const Ref first = checked(PySequence_GetItem(range, 0));
    const Ref last = checked(PySequence_GetItem(range, count - 1));
    const Ref step = checked(PyObject_GetAttrString(range, "step"));
    int over = 0, over_last = 0, over_step = 0;
    const int64_t start = PyLong_AsLongLongAndOverflow(first.get(), &over);
    PyLong_AsLongLongAndOverflow(last.get(), &over_last);
    const int64_t by = PyLong_AsLongLongAndOverflow(step.get(), &over_step);
    if (over == 0 && over_last == 0 && over_step == 0) {
      auto* const to = static_cast<int64_t*>(out.writable_data());
      uint64_t next = static_cast<uint64_t>(start);  // a step beyond the last may wrap around
      for (Py_ssize_t i = 0; i < count; ++i, next += static_cast<uint64_t>(by)) {
        to[i] = static_cast<int64_t>(next);
      }
      return out;
    }
  }
  return tensor_from_list(checked(PySequence_List(range)).get(), dtype, asker);
}

// Everything but numbers and tensors. Undefined if it is nothing we know.
Tensor from_array_like(PyObject* object, std::optional<DType> dtype, Asker asker) {
  if (PyList_Check(object) || PyTuple_Check(object)) return tensor_from_list(object, dtype, asker);
  if (PyRange_Check(object)) return from_range(object, dtype, asker);
  if (PyUnicode_Check(object) || PyBytes_Check(object)) return {};
  if (PyObject_CheckBuffer(object)) return tensor_from_buffer(object, asker);
  if (const Ref inner(PyObject_GetAttrString(object, "__weft_tensor__")); inner) {
    if (is_tensor(inner.get())) return tensor_of(inner.get());
  }
  PyErr_Clear();
  if (has(object, "__array_interface__") || has(object, "__array__")) {
    if (has_dlpack(object)) return tensor_from_dlpack(object, /*copy=*/true, asker);
    return tensor_from_buffer(as_numpy(object, asker).get(), asker);
  }
  if (has_dlpack(object)) return tensor_from_dlpack(object, /*copy=*/true, asker);
  return {};
}

[[noreturn]] void fail_object(PyObject* object, Asker asker) {
  fail(Code::kType, asker.op, "argument", asker.argument,
       " must be a tensor, an array, a nested list or a number, but got ", short_repr(object));
}

}  // namespace

bool may_be_operand(PyObject* object) {
  return is_tensor(object) || dim_in(object).has_value() || is_number(object) ||
         size_float_in(object) != nullptr || PyList_Check(object) || PyTuple_Check(object) ||
         is_numpy_object(object) || has_dlpack(object);
}

Tensor tensor_from(PyObject* object, Asker asker) {
  if (is_tensor(object)) return tensor_of(object);
  if (is_plain_number(object)) return weak_number(object, asker);
  if (const std::optional<Dim> size = dim_in(object)) return size_value(*size, python_line());
  if (const SizeFloatAttrs* const number = size_float_in(object)) {
    return size_float(*number, python_line());
  }
  if (!is_numpy_object(object) && is_number(object)) return weak_number(object, asker);
  Tensor out = from_array_like(object, {}, asker);
  if (!out.defined()) fail_object(object, asker);
  return out;
}

Tensor new_tensor(PyObject* object, std::optional<DType> dtype, Asker asker) {
  if (const std::optional<Dim> size = dim_in(object)) {
    return cast(size_value(*size, python_line()), dtype.value_or(DType::kI64), python_line());
  }
  if (const SizeFloatAttrs* const number = size_float_in(object)) {
    return cast(size_float(*number, python_line()), dtype.value_or(DType::kF32), python_line());
  }
  if (is_plain_number(object) || (!is_numpy_object(object) && is_number(object))) {
    return strong_number(object, dtype, asker);
  }
  Tensor out = is_tensor(object) ? tensor_of(object) : from_array_like(object, dtype, asker);
  if (!out.defined()) fail_object(object, asker);
  if (out.is_weak() && !out.is_concrete()) {  // a number that a graph computes
    return cast(out, dtype.value_or(strong_dtype(out.dtype())), python_line());
  }
  return dtype && *dtype != out.dtype() ? cast(out, *dtype, Where{}) : out;
}

const Tensor& tensor_in(PyObject* object, Asker asker) {
  if (is_tensor(object)) return tensor_of(object);
  fail(Code::kType, asker.op, "argument", asker.argument, " must be a tensor, but got ",
       short_repr(object), "; wf.tensor(data) makes one");
}

Tensor copied(const Tensor& tensor) {
  Tensor out = Tensor::empty(tensor.dtype(), tensor.shape());
  native::copy(out, value_of(tensor, "a copy"));
  return out;
}

}  // namespace weft::python
