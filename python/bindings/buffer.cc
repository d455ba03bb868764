// The buffer protocol both ways: NumPy arrays in, read-only views of tensors out.
#include <cstring>

#include "bindings/from_python.h"
#include "bindings/gil.h"
#include "bindings/tensor_object.h"
#include "bindings/value.h"
#include "weft/base/error.h"
#include "weft/core/byte_count.h"
#include "weft/core/kept_copy.h"

namespace weft::python {
namespace {

// The format of PEP 3118, or null where it has no word.
const char* format_of(DType dtype) {
  switch (dtype) {
    case DType::kBool: return "?";
    case DType::kU8: return "B";
    case DType::kI8: return "b";
    case DType::kU16: return "H";
    case DType::kI16: return "h";
    case DType::kU32: return "I";
    case DType::kI32: return "i";
    case DType::kU64: return "L";
    case DType::kI64: return "l";
    case DType::kF16: return "e";
    case DType::kBF16: return nullptr;
    case DType::kF32: return "f";
    case DType::kF64: return "d";
    case DType::kC64: return "Zf";
    case DType::kC128: return "Zd";
  }
  return nullptr;
}

std::optional<DType> integer_of(bool is_signed, Py_ssize_t size) {
  switch (size) {
    case 1: return is_signed ? DType::kI8 : DType::kU8;
    case 2: return is_signed ? DType::kI16 : DType::kU16;
    case 4: return is_signed ? DType::kI32 : DType::kU32;
    case 8: return is_signed ? DType::kI64 : DType::kU64;
    default: return {};
  }
}

std::optional<DType> dtype_of_format(std::string_view format, Py_ssize_t size) {
  if (format.empty()) format = "B";
  if (format[0] == '@' || format[0] == '=' || format[0] == '<') format.remove_prefix(1);
  if (format == "?") return DType::kBool;
  if (format == "e") return DType::kF16;
  if (format == "f") return DType::kF32;
  if (format == "d") return DType::kF64;
  if (format == "Zf") return DType::kC64;
  if (format == "Zd") return DType::kC128;
  if (format.size() != 1) return {};
  if (std::string_view("bhilqn").find(format[0]) != format.npos) return integer_of(true, size);
  if (std::string_view("BHILQN").find(format[0]) != format.npos) return integer_of(false, size);
  return {};
}

// A buffer held until the last tensor over it is gone, on whatever thread that is.
struct HeldBuffer {
  Py_buffer view;

  static void release(void* context) {
    HeldBuffer* const held = static_cast<HeldBuffer*>(context);
    if (!Py_IsInitialized()) return;  // the interpreter has ended, and its objects with it
    const WithGil gil;
    PyBuffer_Release(&held->view);
    delete held;
  }
};

struct Released {
  Py_buffer* view;
  ~Released() { PyBuffer_Release(view); }
};

// Strides in elements, or nothing if they are no multiples of the element's size or the memory is
// not aligned for it.
std::optional<Ints> element_strides(const Py_buffer& view) {
  Ints out;
  if (reinterpret_cast<uintptr_t>(view.buf) %
          static_cast<uintptr_t>(std::min<Py_ssize_t>(view.itemsize, 8)) !=
      0) {
    return {};
  }
  for (int i = 0; i < view.ndim; ++i) {
    if (view.strides[i] % view.itemsize != 0) return {};
    out.push_back(view.strides[i] / view.itemsize);
  }
  return out;
}

Tensor copy_of(const Py_buffer& view, DType dtype, const Shape& shape) {
  Tensor out = Tensor::empty(dtype, shape);
  if (PyBuffer_IsContiguous(&view, 'C')) {
    if (view.len > 0) std::memcpy(out.writable_data(), view.buf, static_cast<size_t>(view.len));
  } else if (const std::optional<Ints> strides = element_strides(view)) {
    return copied(Tensor::borrow(view.buf, dtype, shape, *strides, nullptr, nullptr, true));
  } else {
    checked(PyBuffer_ToContiguous(out.writable_data(), &view, view.len, 'C'));
  }
  return out;
}

// NumPy arrays of dtypes the protocol has no word for: ml_dtypes' bfloat16 as its bits.
Tensor from_bits(PyObject* array, Asker asker) {
  PyErr_Clear();
  const Ref dtype(PyObject_GetAttrString(array, "dtype"));
  const Ref name(dtype ? PyObject_GetAttrString(dtype.get(), "name") : nullptr);
  PyErr_Clear();
  if (name && PyUnicode_Check(name.get()) && text_of(name.get()) == "bfloat16") {
    const Ref bits = checked(PyObject_CallMethod(array, "view", "s", "uint16"));
    return tensor_from_buffer(bits.get(), asker).reinterpret(DType::kBF16);
  }
  const Ref shown(dtype ? PyObject_Str(dtype.get()) : nullptr);
  PyErr_Clear();
  fail(Code::kType, asker.op, "argument", asker.argument, " is an array of ",
       shown ? text_of(shown.get()) : type_name_of(array),
       ", which weft has no dtype for; convert it first");
}

}  // namespace

Tensor tensor_from_buffer(PyObject* exporter, Asker asker) {
  // Dates of NumPy say that they are bytes.
  const std::string_view type = Py_TYPE(exporter)->tp_name;
  if (type == "numpy.datetime64" || type == "numpy.timedelta64") return from_bits(exporter, asker);
  Py_buffer view;
  if (PyObject_GetBuffer(exporter, &view, PyBUF_FULL_RO) != 0) return from_bits(exporter, asker);
  const std::string_view format = view.format == nullptr ? "B" : view.format;
  const std::optional<DType> dtype = dtype_of_format(format, view.itemsize);
  const bool indirect = view.suboffsets != nullptr;
  if (!dtype || indirect || view.ndim > kMaxRank || size_of(*dtype) != view.itemsize) {
    Released released{&view};
    if (!dtype && PyObject_HasAttrString(exporter, "dtype")) return from_bits(exporter, asker);
    fail(Code::kType, asker.op, "argument", asker.argument, " is a buffer of format '", format,
         "' and rank ", view.ndim,
         "; weft takes native bools, integers, floats and complex numbers", " of rank ", kMaxRank,
         " at most");
  }
  Shape shape;
  for (int i = 0; i < view.ndim; ++i) shape.push_back(view.shape[i]);
  const std::optional<Ints> strides = element_strides(view);
  if (!view.readonly || !strides) {
    Released released{&view};
    return copy_of(view, *dtype, shape);
  }
  return Tensor::borrow(view.buf, *dtype, shape, *strides, HeldBuffer::release,
                        new HeldBuffer{view}, /*foreign=*/true);
}

int tensor_getbuffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guarded_status([&] {
    // Held by an object of its own where `self` may come to hold another value.
    const Tensor tensor = value_of(tensor_of(self), "memory of the tensor");
    require_no_gradient(tensor_of(self), {"tensor", "an array"});
    const char* const format = format_of(tensor.dtype());
    const auto refuse = [](const char* why) {
      PyErr_SetString(PyExc_BufferError, why);
      throw PendingError();
    };
    if (flags & PyBUF_WRITABLE) refuse("tensors never change: their buffers are read-only");
    if (format == nullptr) refuse("bfloat16 has no buffer format; x.astype(wf.float32) has");
    if (!(flags & PyBUF_STRIDES) && !tensor.is_contiguous()) {
      refuse("the tensor is not contiguous; ask for strides");
    }
    const size_t rank = static_cast<size_t>(tensor.rank());
    Py_ssize_t* const layout = new Py_ssize_t[2 * rank + 1];
    for (size_t i = 0; i < rank; ++i) {
      layout[i] = tensor.shape()[i].value();
      layout[rank + i] = tensor.strides()[i] * size_of(tensor.dtype());
    }
    const bool is_stable = Py_TYPE(self) == tensor_type && tensor_of(self).is_concrete();
    view->obj = is_stable ? Py_NewRef(self) : wrap(tensor);
    mark_exported(tensor);  // not everyone heeds that it is read-only
    view->buf = const_cast<void*>(tensor.data());
    view->itemsize = size_of(tensor.dtype());
    view->len = byte_count(tensor);
    view->readonly = 1;
    view->ndim = static_cast<int>(rank);
    view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
    view->shape = flags & PyBUF_ND ? layout : nullptr;
    view->strides = flags & PyBUF_STRIDES ? layout + rank : nullptr;
    view->suboffsets = nullptr;
    view->internal = layout;
  });
}

void tensor_releasebuffer(PyObject*, Py_buffer* view) {
  delete[] static_cast<Py_ssize_t*>(view->internal);
}

}  // namespace weft::python
