// Tensors from nested lists: the shape is found first, then every number is written in place.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "bindings/fitted.h"
#include "bindings/from_python.h"
#include "bindings/tensor_object.h"
#include "bindings/tree_level.h"
#include "weft/base/error.h"
#include "weft/core/scalar.h"
#include "weft/op/builtin.h"

namespace weft::python {
namespace {

bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

Py_ssize_t size_of_list(PyObject* list) { return PySequence_Fast_GET_SIZE(list); }
PyObject* item_of(PyObject* list, Py_ssize_t i) { return PySequence_Fast_GET_ITEM(list, i); }

// Python's own numbers; a NumPy scalar is an array of its dtype.
bool is_own_number(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
         PyComplex_CheckExact(object);
}

// Runs signal handlers now and then while numbers of a list are read. They may change the list, so
// its parts are held and checked again.
class SignalPoll {
 public:
  void count_number() {
    if (++count_ % kBetweenPolls == 0) checked(PyErr_CheckSignals());
  }

 private:
  static constexpr int64_t kBetweenPolls = 100'000;  // numbers, which take milliseconds
  int64_t count_ = 0;
};

// Walks the nesting, checks that it is rectangular, and finds the highest kind of number.
class Survey {
 public:
  Survey(PyObject* list, Asker asker) : asker_(asker) {
    for (PyObject* at = list; is_list(at); at = item_of(at, 0)) {
      if (shape.size() == static_cast<size_t>(kMaxRank)) {
        fail(Code::kInvalid, asker.op, "argument", asker.argument, " is nested more than ",
             kMaxRank, " deep");
      }
      shape.push_back(size_of_list(at));
      if (size_of_list(at) == 0) break;
    }
    visit(list, 0);
    if (too_deep && only_numbers) {
      fail(Code::kInvalid, asker.op, "argument", asker.argument,
           " is not rectangular: a list stands where a number is expected");
    }
  }

  Shape shape;
  Kind kind = Kind::kBool;
  bool only_numbers = true;  // no tensor or array among the leaves
  bool any = false;
  bool too_deep = false;  // a list among the leaves: beside an array it may still fit

 private:
  void visit(PyObject* object, size_t depth) {
    if (depth == shape.size()) return visit_leaf(object);
    if (!is_list(object) || Dim(size_of_list(object)) != shape[depth]) {
      if (!is_list(object) && !is_own_number(object)) {
        only_numbers = false;  // arrays of equal shape may stand beside lists: stacking decides
        return;
      }
      fail(Code::kInvalid, asker_.op, "argument", asker_.argument, " is not rectangular: at depth ",
           depth, " it has ", is_list(object) ? text("length ", size_of_list(object)) : "a number",
           " where length ", shape[depth], " is expected");
    }
    const Ref held = Ref::borrowed(object);
    for (Py_ssize_t i = 0; i < size_of_list(object); ++i) visit(item_of(object, i), depth + 1);
  }

  void visit_leaf(PyObject* object) {
    any = true;
    visit_kind(object);
    poll_.count_number();
  }

  void visit_kind(PyObject* object) {
    if (PyFloat_CheckExact(object)) {
      kind = std::max(kind, Kind::kFloating);
    } else if (PyBool_Check(object)) {
    } else if (PyLong_CheckExact(object)) {
      kind = std::max(kind, Kind::kInteger);
    } else if (PyComplex_CheckExact(object)) {
      kind = Kind::kComplex;
    } else if (is_list(object)) {
      too_deep = true;
    } else {
      only_numbers = false;
    }
  }

  Asker asker_;
  SignalPoll poll_;
};

DType dtype_for(const Survey& survey) {
  if (!survey.any) return DType::kF32;
  switch (survey.kind) {
    case Kind::kBool: return DType::kBool;
    case Kind::kInteger: return DType::kI64;
    case Kind::kFloating: return DType::kF32;
    case Kind::kComplex: return DType::kC64;
  }
  return DType::kF32;
}

// Writes the numbers of a list that a Survey has seen.
class ListWriter {
 public:
  ListWriter(const Tensor& to, Asker asker)
      : shape_(to.shape()),
        dtype_(to.dtype()),
        to_(static_cast<char*>(to.writable_data())),
        asker_(asker) {}

  void write(PyObject* object, size_t depth = 0) {
    if (depth == shape_.size()) {
      require_unchanged(is_own_number(object));
      write_number(object, dtype_, to_, asker_);
      to_ += size_of(dtype_);
      return poll_.count_number();
    }
    const Ref held = Ref::borrowed(object);
    const Py_ssize_t size = shape_[depth].value();
    for (Py_ssize_t i = 0; i < size; ++i) {
      require_unchanged(is_list(object) && size_of_list(object) == size);
      write(item_of(object, i), depth + 1);
    }
  }

 private:
  void require_unchanged(bool is_same) const {
    if (is_same) return;
    fail(Code::kInvalid, asker_.op, "argument", asker_.argument,
         " was changed by a signal handler while its numbers were read; pass a copy");
  }

  const ShapeView shape_;
  const DType dtype_;
  char* to_;
  const Asker asker_;
  SignalPoll poll_;
};

Tensor stacked(PyObject* list, std::optional<DType> dtype, Asker asker) {
  const TreeLevel level(asker.op, asker.argument);
  std::vector<Tensor> rows;
  for (Py_ssize_t i = 0; i < size_of_list(list); ++i) {
    const Ref item = Ref::borrowed(item_of(list, i));  // its code may change the list
    // Numbers of an array fit like Python's own, or raise.
    const bool is_own = is_list(item.get()) || is_own_number(item.get());
    const Tensor row = new_tensor(item.get(), is_own ? dtype : std::nullopt, asker);
    rows.push_back(dtype ? fitted(row, *dtype, asker) : row);
  }
  try {
    return stack(rows, 0, Where{});
  } catch (const Error& error) {  // the user called no stack
    fail(error.code, asker.op, "argument", asker.argument, " is a list of arrays: ", error.message);
  }
}

[[noreturn]] void fail_range(PyObject* number, DType dtype, Asker asker) {
  fail(Code::kOverflow, asker.op, "fits", asker.argument, " holds ", short_repr(number), ", but ",
       dtype, " holds ", range_of(dtype), "; choose a dtype that holds it");
}

template <class T>
void store(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

template <class T>
void store_int(int64_t value, PyObject* number, DType dtype, void* to, Asker asker) {
  if (value < static_cast<int64_t>(std::numeric_limits<T>::min()) ||
      value > static_cast<int64_t>(std::numeric_limits<T>::max())) {
    fail_range(number, dtype, asker);
  }
  store(to, static_cast<T>(value));
}

// An int, or a float that is one.
Ref whole_number(PyObject* number, DType dtype, Asker asker) {
  if (PyLong_Check(number)) return Ref::borrowed(number);
  if (PyFloat_Check(number)) {
    const double value = PyFloat_AS_DOUBLE(number);
    if (std::trunc(value) == value && std::isfinite(value)) {
      return checked(PyLong_FromDouble(value));
    }
  }
  fail(Code::kInvalid, asker.op, "argument", asker.argument, " holds ", short_repr(number),
       ", which is no integer, but dtype ", dtype, " was asked for; round it, or use astype");
}

void write_int(PyObject* object, DType dtype, void* to, Asker asker) {
  const Ref number = whole_number(object, dtype, asker);
  if (dtype == DType::kU64) {
    const uint64_t value = PyLong_AsUnsignedLongLong(number.get());
    if (value == static_cast<uint64_t>(-1) && PyErr_Occurred()) {
      PyErr_Clear();
      fail_range(object, dtype, asker);
    }
    return store(to, value);
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow != 0) fail_range(object, dtype, asker);
  switch (dtype) {
    case DType::kU8: return store_int<uint8_t>(value, object, dtype, to, asker);
    case DType::kI8: return store_int<int8_t>(value, object, dtype, to, asker);
    case DType::kU16: return store_int<uint16_t>(value, object, dtype, to, asker);
    case DType::kI16: return store_int<int16_t>(value, object, dtype, to, asker);
    case DType::kU32: return store_int<uint32_t>(value, object, dtype, to, asker);
    case DType::kI32: return store_int<int32_t>(value, object, dtype, to, asker);
    default: return store(to, value);
  }
}

// A finite number that the dtype would make infinite is refused.
template <class T>
T narrowed(PyObject* number, double value, DType dtype, Asker asker) {
  const float narrow = static_cast<float>(value);
  T out;
  float back;
  if constexpr (std::is_same_v<T, float>) {
    out = back = narrow;
  } else {
    out = T::from_float(narrow);
    back = out.to_float();
  }
  if (std::isinf(back) && std::isfinite(value)) fail_range(number, dtype, asker);
  return out;
}

double real_number(PyObject* number, DType dtype, Asker asker) {
  if (PyFloat_CheckExact(number)) return PyFloat_AS_DOUBLE(number);
  if (PyBool_Check(number)) return number == Py_True ? 1 : 0;
  if (PyComplex_Check(number)) {
    fail(Code::kType, asker.op, "argument", asker.argument, " holds a complex number, but dtype ",
         dtype, " was asked for");
  }
  return float_from(number, asker);
}

template <class T>
T real(PyObject* number, DType dtype, Asker asker) {
  return narrowed<T>(number, real_number(number, dtype, asker), dtype, asker);
}

Complex128 complex_number(PyObject* number, DType dtype, Asker asker) {
  if (!PyComplex_Check(number)) return {real_number(number, dtype, asker), 0};
  const Py_complex value = PyComplex_AsCComplex(number);
  return {value.real, value.imag};
}

}  // namespace

void write_number(PyObject* number, DType dtype, void* to, Asker asker) {
  switch (dtype) {
    case DType::kBool: return store(to, static_cast<uint8_t>(PyObject_IsTrue(number) == 1));
    case DType::kF16: return store(to, real<Half>(number, dtype, asker));
    case DType::kBF16: return store(to, real<BFloat16>(number, dtype, asker));
    case DType::kF32: return store(to, real<float>(number, dtype, asker));
    case DType::kF64: return store(to, real_number(number, dtype, asker));
    case DType::kC64: {
      const Complex128 value = complex_number(number, dtype, asker);
      return store(to, Complex64{narrowed<float>(number, value.re, dtype, asker),
                                 narrowed<float>(number, value.im, dtype, asker)});
    }
    case DType::kC128: return store(to, complex_number(number, dtype, asker));
    default: return write_int(number, dtype, to, asker);
  }
}

Tensor tensor_from_list(PyObject* list, std::optional<DType> dtype, Asker asker) {
  const Survey survey(list, asker);
  if (!survey.only_numbers) return stacked(list, dtype, asker);
  const Tensor out = Tensor::empty(dtype.value_or(dtype_for(survey)), survey.shape);
  ListWriter(out, asker).write(list);
  return out;
}

}  // namespace weft::python
