// DLPack both ways: our tensors as read-only capsules, tensors of others borrowed.
#include "bindings/dlpack.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "bindings/from_python.h"
#include "bindings/gil.h"
#include "bindings/tensor_object.h"
#include "bindings/value.h"
#include "weft/base/error.h"
#include "weft/core/kept_copy.h"

namespace weft::python {
namespace {

using dlpack::Array;
using dlpack::DataType;
using dlpack::Managed;
using dlpack::Versioned;

constexpr const char* kVersionedName = "dltensor_versioned";
constexpr const char* kName = "dltensor";

enum Code8 : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBFloat = 4, kComplex = 5, kBool = 6 };

DataType data_type_of(DType dtype) {
  const auto bits = static_cast<uint8_t>(8 * size_of(dtype));
  if (dtype == DType::kBool) return {kBool, bits, 1};
  if (dtype == DType::kBF16) return {kBFloat, bits, 1};
  if (is_complex(dtype)) return {kComplex, bits, 1};
  if (is_floating(dtype)) return {kFloat, bits, 1};
  return {is_signed_integer(dtype) ? kInt : kUInt, bits, 1};
}

std::optional<DType> dtype_of(DataType type) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const DataType ours = data_type_of(static_cast<DType>(i));
    if (ours.code == type.code && ours.bits == type.bits && type.lanes == 1) {
      return static_cast<DType>(i);
    }
  }
  return {};
}

// What a capsule of ours keeps alive.
template <class Header>
struct Export {
  Header header{};
  Tensor tensor;
  Ints layout;  // shape, then strides

  explicit Export(Tensor value) : tensor(std::move(value)) {
    mark_exported(tensor);  // not everyone heeds that it is read-only
    for (Dim dim : tensor.shape()) layout.push_back(dim.value());
    for (int64_t stride : tensor.strides()) layout.push_back(stride);
    Array& array = header.array;
    array.data = const_cast<void*>(tensor.data());
    array.device = {dlpack::kCpu, 0};
    array.rank = static_cast<int32_t>(tensor.rank());
    array.dtype = data_type_of(tensor.dtype());
    array.shape = layout.data();
    array.strides = layout.data() + tensor.rank();
    header.context = this;
    header.deleter = [](Header* h) { delete static_cast<Export*>(h->context); };
  }
};

// Capsules that nobody took are emptied here; those taken have been renamed.
template <class Header>
void free_capsule(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;
  Header* const header = static_cast<Header*>(PyCapsule_GetPointer(capsule, name));
  if (header->deleter != nullptr) header->deleter(header);
}

PyObject* versioned_capsule(Tensor tensor, bool was_copied) {
  auto* const out = new Export<Versioned>(std::move(tensor));
  out->header.major = dlpack::kMajor;
  out->header.minor = dlpack::kMinor;
  out->header.flags = was_copied ? dlpack::kCopied : dlpack::kReadOnly;
  return PyCapsule_New(&out->header, kVersionedName,
                       [](PyObject* capsule) { free_capsule<Versioned>(capsule, kVersionedName); });
}

PyObject* plain_capsule(Tensor tensor) {
  auto* const out = new Export<Managed>(std::move(tensor));
  return PyCapsule_New(&out->header, kName,
                       [](PyObject* capsule) { free_capsule<Managed>(capsule, kName); });
}

struct ExportRequest {
  bool versioned = false;
  PyObject* copy = Py_None;
};

[[noreturn]] void refuse(const std::string& why) {
  PyErr_SetString(PyExc_BufferError, why.c_str());
  throw PendingError();
}

void read_keyword(std::string_view name, PyObject* value, ExportRequest& request) {
  if (value == Py_None) return;
  if (name == "max_version") {
    int major = 0, minor = 0;
    if (!PyTuple_Check(value) || !PyArg_ParseTuple(value, "ii", &major, &minor)) {
      PyErr_Clear();
      fail(Code::kType, "__dlpack__", "argument",
           "max_version must be a tuple (major, minor), but got ", short_repr(value));
    }
    request.versioned = major >= 1;
  } else if (name == "copy") {
    request.copy = value;
  } else if (name == "dl_device") {
    int type = 0, id = 0;
    if (!PyTuple_Check(value) || !PyArg_ParseTuple(value, "ii", &type, &id)) {
      PyErr_Clear();
      fail(Code::kType, "__dlpack__", "argument", "dl_device must be a tuple (type, id), but got ",
           short_repr(value));
    }
    if (type != dlpack::kCpu) refuse("__dlpack__: the tensor is on the CPU, device (1, 0)");
  } else if (name == "stream") {
    fail(Code::kInvalid, "__dlpack__", "argument", "stream must be None for a tensor on the CPU");
  } else {
    fail(Code::kType, "__dlpack__", "keyword", "has no argument '", name,
         "'; its arguments are stream, max_version, dl_device, copy");
  }
}

// The array in a capsule, with what frees it.
struct Import {
  Array* array = nullptr;
  void* header = nullptr;
  bool versioned = false;

  static void release(void* context) {
    Import* const self = static_cast<Import*>(context);
    // Deleters of other libraries may touch Python objects.
    std::optional<WithGil> gil;
    if (Py_IsInitialized()) gil.emplace();
    if (self->versioned) {
      Versioned* const h = static_cast<Versioned*>(self->header);
      if (h->deleter != nullptr) h->deleter(h);
    } else {
      Managed* const h = static_cast<Managed*>(self->header);
      if (h->deleter != nullptr) h->deleter(h);
    }
    delete self;
  }
};

Import* take_capsule(PyObject* capsule, Asker asker) {
  auto out = std::make_unique<Import>();
  if (PyCapsule_IsValid(capsule, kVersionedName)) {
    Versioned* const h = static_cast<Versioned*>(PyCapsule_GetPointer(capsule, kVersionedName));
    if (h->major > dlpack::kMajor) {
      fail(Code::kType, asker.op, "version", asker.argument, " speaks DLPack ", h->major, ".",
           h->minor, ", but weft speaks ", dlpack::kMajor, ".", dlpack::kMinor);
    }
    *out = {&h->array, h, true};
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
  } else if (PyCapsule_IsValid(capsule, kName)) {
    Managed* const h = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kName));
    *out = {&h->array, h, false};
    PyCapsule_SetName(capsule, "used_dltensor");
  } else {
    fail(Code::kType, asker.op, "argument", asker.argument,
         ".__dlpack__() gave no DLPack capsule, or one that was used before");
  }
  return out.release();
}

// Says on the pending error of another library whose argument it is about.
[[noreturn]] void raise_noted(Asker asker) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const std::string note = text(asker.op, ": ", asker.argument, ".__dlpack__() raised this");
  const Ref ignored(PyObject_CallMethod(value, "add_note", "s", note.c_str()));  // Python 3.11
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
  throw PendingError();
}

// Asks for version 1, and again as of old if the producer does not know the keyword.
Ref capsule_of(PyObject* object, Asker asker) {
  const Ref method = checked(PyObject_GetAttrString(object, "__dlpack__"));
  const Ref none = checked(PyTuple_New(0));
  const Ref keywords = checked(Py_BuildValue("{s:(ii)}", "max_version", 1, 1));
  Ref capsule(PyObject_Call(method.get(), none.get(), keywords.get()));
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    capsule = Ref(PyObject_CallNoArgs(method.get()));
  }
  if (!capsule) raise_noted(asker);
  return capsule;
}

void check_device(PyObject* object, Asker asker) {
  if (!has_dlpack(object) || !PyObject_HasAttrString(object, "__dlpack_device__")) {
    fail(Code::kType, asker.op, "argument", asker.argument,
         " must have __dlpack__ and __dlpack_device__, but got ", short_repr(object));
  }
  const Ref device(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
  if (!device) raise_noted(asker);
  const Ref type(PySequence_GetItem(device.get(), 0));
  const long number = type ? PyLong_AsLong(type.get()) : -1;
  PyErr_Clear();
  if (number != dlpack::kCpu) {
    fail(Code::kInvalid, asker.op, "device", asker.argument, " is on DLPack device type ", number,
         ", but weft reads the CPU's memory (type 1); move it there first");
  }
}

}  // namespace

bool has_dlpack(PyObject* object) {
  static PyObject* const name = PyUnicode_InternFromString("__dlpack__");
  const Ref found(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(object)), name));
  PyErr_Clear();
  return static_cast<bool>(found);
}

Tensor tensor_from_dlpack(PyObject* object, bool copy, Asker asker) {
  check_device(object, asker);
  const Ref capsule = capsule_of(object, asker);
  Import* const taken = take_capsule(capsule.get(), asker);
  const Array& array = *taken->array;
  const std::optional<DType> dtype = dtype_of(array.dtype);
  if (!dtype || array.rank < 0 || array.rank > kMaxRank) {
    const DataType type = array.dtype;
    const int32_t rank = array.rank;
    Import::release(taken);
    fail(Code::kType, asker.op, "dtype", asker.argument, " has DLPack type code ", type.code, ", ",
         type.bits, " bits, ", type.lanes, " lanes and rank ", rank,
         ", which weft has no dtype for");
  }
  Shape shape;
  for (int i = 0; i < array.rank; ++i) shape.push_back(array.shape[i]);
  Ints strides;
  for (int i = 0; array.strides != nullptr && i < array.rank; ++i) {
    strides.push_back(array.strides[i]);
  }
  if (array.strides == nullptr) strides = contiguous_strides(shape);
  Tensor out = Tensor::borrow(static_cast<char*>(array.data) + array.byte_offset, *dtype, shape,
                              strides, Import::release, taken, /*foreign=*/true);
  return copy ? copied(out) : out;
}

PyObject* tensor_dlpack(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return guarded([&] {
    if (count > 0) {
      fail(Code::kType, "__dlpack__", "count", "takes keyword arguments only");
    }
    ExportRequest request;
    for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
      read_keyword(text_of(PyTuple_GET_ITEM(names, i)), args[count + i], request);
    }
    const Tensor t = constant_of(tensor_of(self), "x.__dlpack__()");
    // Before version 1 a capsule cannot say that it is read-only: only a copy is safe to give.
    if (!request.versioned && request.copy == Py_False) {
      refuse(
          "__dlpack__: a tensor is read-only, which DLPack before 1.0 cannot say; pass "
          "max_version=(1, 0), or copy=True");
    }
    const bool reversed = std::ranges::any_of(t.strides(), [](int64_t s) { return s < 0; });
    if (reversed && request.copy == Py_False) {
      refuse(
          "__dlpack__: the tensor has negative strides, which not every library can read; pass "
          "copy=None or copy=True");
    }
    const bool copy = request.copy == Py_True || !request.versioned;
    Tensor exported = copy || reversed ? copied(t) : t;  // PyTorch ends the process on such strides
    return request.versioned ? versioned_capsule(std::move(exported), copy)
                             : plain_capsule(std::move(exported));
  });
}

PyObject* tensor_dlpack_device(PyObject*, PyObject*) {
  return Py_BuildValue("(ii)", dlpack::kCpu, 0);
}

}  // namespace weft::python
