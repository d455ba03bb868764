// Tensors as Python numbers: item, tolist, bool, int, float, complex, index.
#include <cmath>
#include <cstring>
#include <optional>

#include "bindings/tensor_object.h"
#include "bindings/value.h"
#include "bindings/variable_object.h"
#include "weft/base/checked.h"
#include "weft/base/error.h"

namespace weft::python {
namespace {

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

PyObject* number_at(DType dtype, const void* at) {
  switch (dtype) {
    case DType::kBool: return PyBool_FromLong(load<uint8_t>(at));
    case DType::kU8: return PyLong_FromLong(load<uint8_t>(at));
    case DType::kI8: return PyLong_FromLong(load<int8_t>(at));
    case DType::kU16: return PyLong_FromLong(load<uint16_t>(at));
    case DType::kI16: return PyLong_FromLong(load<int16_t>(at));
    case DType::kU32: return PyLong_FromLong(load<uint32_t>(at));
    case DType::kI32: return PyLong_FromLong(load<int32_t>(at));
    case DType::kU64: return PyLong_FromUnsignedLongLong(load<uint64_t>(at));
    case DType::kI64: return PyLong_FromLongLong(load<int64_t>(at));
    case DType::kF16: return PyFloat_FromDouble(load<Half>(at).to_float());
    case DType::kBF16: return PyFloat_FromDouble(load<BFloat16>(at).to_float());
    case DType::kF32: return PyFloat_FromDouble(load<float>(at));
    case DType::kF64: return PyFloat_FromDouble(load<double>(at));
    case DType::kC64: {
      const Complex64 value = load<Complex64>(at);
      return PyComplex_FromDoubles(value.re, value.im);
    }
    case DType::kC128: {
      const Complex128 value = load<Complex128>(at);
      return PyComplex_FromDoubles(value.re, value.im);
    }
  }
  return nullptr;
}

// How a read is written: "x.item()", "float(x)".
std::string spelled(std::string_view who) { return who == "item" ? "x.item()" : text(who, "(x)"); }

// How many elements the tensor has in the call that is traced; nothing if that is not known.
std::optional<int64_t> hinted_count(const Tensor& tensor) {
  int64_t count = 1;
  for (const Dim dim : tensor.shape()) {
    const std::optional<int64_t> size = hinted_value(dim);
    if (!size) return {};
    count = checked_mul(count, *size);
  }
  return count;
}

// The advice for x.item() while a function is traced. If x has several elements, a read before or
// after the call would fail, too, and the advice says so.
std::string instead_of_reading(const Tensor& tensor, std::string_view who) {
  const int64_t count = hinted_count(tensor).value_or(1);
  const std::string several =
      count == 1 ? ""
                 : text("; x has ", count, " elements, and ", spelled(who), " takes exactly 1");
  return text(kInsteadOfReading, several);
}

// The only element.
Ref only_element(const Tensor& tensor, std::string_view who) {
  const Tensor t = tensor.is_concrete() ? tensor
                                        : value_of(tensor, spelled(who), ValueReader{}.in_vmap,
                                                   instead_of_reading(tensor, who));
  if (t.numel() != 1) {
    fail(Code::kInvalid, who, "one", "the tensor has shape ", t.shape(), " with ", t.numel(),
         " elements; exactly one is needed");
  }
  return checked(number_at(t.dtype(), t.data()));
}

// The only element as a Python number to compute with.
Ref only_number(const Tensor& tensor, std::string_view who) {
  Ref number = only_element(tensor, who);
  require_no_gradient(tensor, {"tensor", spelled(who)});
  return number;
}

// The same, which is not complex.
Ref only_real_number(PyObject* self, std::string_view who) {
  if (is_complex(tensor_of(self).dtype())) {
    fail(Code::kType, who, "real", "the tensor has dtype ", tensor_of(self).dtype(),
         "; take wf.real(x) or wf.abs(x) first");
  }
  return only_number(tensor_of(self), who);
}

constexpr int64_t kBetweenPolls = 100'000;  // numbers; they take milliseconds

// `count` is how many numbers there are so far, of all rows.
PyObject* list_of(const Tensor& t, size_t axis, const char* at, int64_t& count) {
  if (axis == t.shape().size()) return checked(number_at(t.dtype(), at)).give_up();
  const int64_t extent = t.shape()[axis].value();
  Ref out = checked(PyList_New(extent));
  for (int64_t i = 0; i < extent; ++i) {
    if (++count % kBetweenPolls == 0) checked(PyErr_CheckSignals());
    PyList_SET_ITEM(out.get(), i, list_of(t, axis + 1, at, count));
    at += t.strides()[axis] * size_of(t.dtype());
  }
  return out.give_up();
}

}  // namespace

PyObject* tensor_item(PyObject* self, PyObject*) {
  return guarded([&] { return only_number(stored_value(self, {"item", "x"}), "item").give_up(); });
}

PyObject* tensor_tolist(PyObject* self, PyObject*) {
  return guarded([&] {
    const Tensor t = constant_of(stored_value(self, {"tolist", "x"}), "x.tolist()");
    int64_t count = 0;
    return list_of(t, 0, static_cast<const char*>(t.data()), count);
  });
}

int tensor_bool(PyObject* self) {
  int truth = -1;
  const int status = guarded_status([&] {
    const Tensor t =
        value_of(tensor_of(self), "bool(x), as in `if x > 0`,",
                 "choose between values with wf.where(condition, a, b)",
                 "choose between values with wf.where(condition, a, b), use wf.cond or "
                 "wf.while_loop, or let wf.function rewrite the function, which needs "
                 "its source, and no locals() or exec() in it; generators, methods "
                 "behind operators and what a library calls are never rewritten: branch "
                 "in a function or method that is called");
    if (t.numel() != 1) {
      fail(Code::kInvalid, "bool", "one", "the truth of a tensor of shape ", t.shape(),
           " is ambiguous; use wf.any(x) or wf.all(x)");
    }
    truth = PyObject_IsTrue(only_element(t, "bool").get());  // control flow loses no gradient
  });
  return status < 0 ? -1 : truth;
}

PyObject* tensor_int(PyObject* self) {
  return guarded([&] { return PyNumber_Long(only_real_number(self, "int").get()); });
}

PyObject* tensor_float(PyObject* self) {
  return guarded([&] { return PyNumber_Float(only_real_number(self, "float").get()); });
}

PyObject* tensor_complex(PyObject* self, PyObject*) {
  return guarded([&] {
    const Ref number = only_number(tensor_of(self), "complex");
    Py_complex value = PyComplex_AsCComplex(number.get());
    if (PyErr_Occurred()) throw PendingError();
    // The array API: no part of what is not a number is one.
    if (!PyComplex_Check(number.get()) && std::isnan(value.real)) value.imag = value.real;
    return PyComplex_FromCComplex(value);
  });
}

PyObject* tensor_index(PyObject* self) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    if (t.rank() != 0 || !is_integer(t.dtype())) {
      fail(Code::kType, "index", "integer", "a tensor of type ", t.type(),
           " is no index; only integer tensors of rank 0 are");
    }
    const Tensor value =
        value_of(t, "a place in a shape, a range or a slice",
                 "pick elements with wf.take(x, indices, axis=...) or x[index]",
                 "pick elements with wf.take(x, indices, axis=...) or x[index], or "
                 "give the function a Python integer in place of the tensor");
    return checked(number_at(value.dtype(), value.data())).give_up();
  });
}

}  // namespace weft::python
