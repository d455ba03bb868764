// Making tensors, views and copies out.
#include "weft/core/tensor.h"

#include <algorithm>
#include <cstring>

#include "weft/base/sizes.h"
#include "weft/core/allocator.h"
#include "weft/core/kept_copy.h"
#include "weft/core/lowest_node.h"

namespace weft {
namespace {

// A Concrete with room for its dims and strides and `inline_bytes` of data behind them.
Concrete* make_concrete(DType dtype, size_t rank, int64_t inline_bytes) {
  const int64_t header = static_cast<int64_t>(sizeof(Concrete)) + 16 * static_cast<int64_t>(rank);
  const int64_t data_at = inline_bytes > 0 ? round_up(header, 64) : header;
  uint8_t size_class = 0;
  void* const memory = allocate_node_memory(data_at + inline_bytes, &size_class);
  Concrete* const node = new (memory) Concrete;
  node->size_class = size_class;
  node->dtype = dtype;
  node->rank = static_cast<uint8_t>(rank);
  Dim* const dims = reinterpret_cast<Dim*>(node + 1);
  node->dims = dims;
  node->strides = reinterpret_cast<int64_t*>(dims + rank);
  node->data = static_cast<char*>(memory) + data_at;
  return node;
}

Dim* dims_of(Concrete* node) { return const_cast<Dim*>(node->dims); }

Buffer* make_buffer() {
  uint8_t size_class = 0;
  void* const memory = allocate_node_memory(sizeof(Buffer), &size_class);
  Buffer* const buffer = new (memory) Buffer;
  buffer->size_class = size_class;
  return buffer;
}

// A buffer of its own memory; the block goes back to the allocator with it.
Buffer* allocate_buffer(int64_t bytes) {
  const MemoryBlock block = allocate(bytes);
  Buffer* const buffer = make_buffer();
  buffer->data = block.data;
  buffer->bytes = block.bytes;
  buffer->state.store_release(kOwnMemory);
  buffer->release = [](Buffer* b) {
    drop_kept_copies(*b);
    deallocate({b->data, b->bytes});
  };
  return buffer;
}

void check_rank(size_t rank) {
  if (rank > static_cast<size_t>(kMaxRank)) {
    fail(Code::kInvalid, "tensor", "rank", "rank ", rank, " is too high; at most ", kMaxRank,
         " axes");
  }
}

// What is computed of a layout. It can raise, so it comes before any memory is taken.
struct LayoutSummary {
  int64_t numel;
  bool contiguous;
};
LayoutSummary summarize(const StridedLayout& layout) {
  check_rank(layout.shape.size());
  return {num_elements(layout.shape).value(), is_contiguous(layout)};
}

void set_layout(Concrete* node, const StridedLayout& layout, const LayoutSummary& summary) {
  std::copy(layout.shape.begin(), layout.shape.end(), dims_of(node));
  std::copy(layout.strides.begin(), layout.strides.end(), node->strides);
  node->numel = summary.numel;
  node->contiguous = summary.contiguous;
}

template <class T>
Tensor make_weak(DType dtype, T value) {
  Concrete* const node = make_concrete(dtype, 0, 8);
  node->numel = 1;
  node->weak = true;
  std::memcpy(node->data, &value, sizeof value);
  return Tensor::adopt(node);
}

// Walks the elements of a strided tensor in row-major order.
template <class Visit>
void for_each_element(const Concrete& node, int64_t size, Visit visit) {
  int64_t index[kMaxRank] = {};
  const char* at = node.data;
  for (int64_t i = 0; i < node.numel; ++i) {
    visit(i, at);
    for (int axis = node.rank - 1; axis >= 0; --axis) {
      at += node.strides[axis] * size;
      if (++index[axis] < node.dims[axis].value()) break;
      at -= node.strides[axis] * size * index[axis];
      index[axis] = 0;
    }
  }
}

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

const void* only_element(const Tensor& tensor) {
  if (tensor.numel() != 1) {
    fail(Code::kInvalid, "item", "one", "the tensor has shape ", tensor.shape(), " with ",
         tensor.numel(), " elements; item() needs exactly one");
  }
  return tensor.data();
}

}  // namespace

Tensor Tensor::empty(DType dtype, ShapeView shape) {
  check_rank(shape.size());
  int64_t numel = 1;
  for (Dim dim : shape) {
    if (dim.is_known() && dim.value() < 0) {
      fail(Code::kInvalid, "tensor", "shape", "shape ", shape,
           " has a negative extent; extents are at least 0");
    }
  }
  numel = num_elements(shape).value();
  const int64_t bytes = checked_mul(numel, size_of(dtype));
  const bool is_inline = bytes <= kInlineBytes;
  Buffer* const buffer = is_inline ? nullptr : allocate_buffer(bytes);
  Concrete* const node =
      make_concrete(dtype, shape.size(), is_inline ? std::max<int64_t>(bytes, 1) : 0);
  if (buffer != nullptr) {
    node->owner = buffer;
    node->data = static_cast<char*>(buffer->data);
  }
  Dim* const dims = dims_of(node);
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    dims[i] = shape[i];
    node->strides[i] = stride;
    const int64_t extent = shape[i].value();
    if (extent > 1 && numel > 0) stride *= extent;
  }
  node->numel = numel;
  return adopt(node);
}

Tensor Tensor::empty_like(const Tensor& contiguous, DType dtype) {
  const Concrete& from = *static_cast<const Concrete*>(contiguous.node_);
  const int64_t bytes = from.numel * size_of(dtype);
  const bool is_inline = bytes <= kInlineBytes;
  Buffer* const buffer = is_inline ? nullptr : allocate_buffer(bytes);
  Concrete* const node =
      make_concrete(dtype, from.rank, is_inline ? std::max<int64_t>(bytes, 1) : 0);
  if (buffer != nullptr) {
    node->owner = buffer;
    node->data = static_cast<char*>(buffer->data);
  }
  // Plain loops: for ranks of one to four a call of memcpy costs more than it copies.
  Dim* const dims = dims_of(node);
  for (int i = 0; i < from.rank; ++i) {
    dims[i] = from.dims[i];
    node->strides[i] = from.strides[i];
  }
  node->numel = from.numel;
  return adopt(node);
}

Tensor Tensor::scalar(DType dtype, double value) {
  const Tensor out = empty(dtype, {});
  void* const to = out.writable_data();
  const auto store = [&](auto typed) { std::memcpy(to, &typed, sizeof typed); };
  switch (dtype) {
    case DType::kBool: store(value != 0); break;
    case DType::kU8: store(static_cast<uint8_t>(static_cast<int64_t>(value))); break;
    case DType::kI8: store(static_cast<int8_t>(static_cast<int64_t>(value))); break;
    case DType::kU16: store(static_cast<uint16_t>(static_cast<int64_t>(value))); break;
    case DType::kI16: store(static_cast<int16_t>(static_cast<int64_t>(value))); break;
    case DType::kU32: store(static_cast<uint32_t>(static_cast<int64_t>(value))); break;
    case DType::kI32: store(static_cast<int32_t>(static_cast<int64_t>(value))); break;
    case DType::kU64: store(static_cast<uint64_t>(value)); break;
    case DType::kI64: store(static_cast<int64_t>(value)); break;
    case DType::kF16: store(Half::from_float(static_cast<float>(value)).bits); break;
    case DType::kBF16: store(BFloat16::from_float(static_cast<float>(value)).bits); break;
    case DType::kF32: store(static_cast<float>(value)); break;
    case DType::kF64: store(value); break;
    case DType::kC64: {
      const float parts[2] = {static_cast<float>(value), 0};
      std::memcpy(to, parts, sizeof parts);
      break;
    }
    case DType::kC128: {
      const double parts[2] = {value, 0};
      std::memcpy(to, parts, sizeof parts);
      break;
    }
  }
  return out;
}

Tensor Tensor::from_bytes(DType dtype, ShapeView shape, std::span<const std::byte> bytes) {
  const Tensor out = empty(dtype, shape);
  const int64_t needed = out.numel() * size_of(dtype);
  if (needed != static_cast<int64_t>(bytes.size())) {
    fail(Code::kInvalid, "tensor", "bytes", bytes.size(), " bytes were given but ", out.type(),
         " needs ", needed);
  }
  if (needed > 0) std::memcpy(out.writable_data(), bytes.data(), bytes.size());
  return out;
}

Tensor Tensor::borrow(void* data, DType dtype, ShapeView shape, std::span<const int64_t> strides,
                      void (*release)(void* context), void* context, bool foreign) {
  const LayoutSummary summary = summarize({shape, strides});
  Concrete* const node = make_concrete(dtype, shape.size(), 0);
  set_layout(node, {shape, strides}, summary);
  Buffer* const buffer = make_buffer();
  buffer->data = data;
  buffer->bytes = node->numel * size_of(dtype);
  buffer->foreign = foreign;
  struct Borrowed {
    void (*release)(void*);
    void* context;
  };
  buffer->context = new Borrowed{release, context};
  buffer->release = [](Buffer* b) {
    Borrowed* const borrowed = static_cast<Borrowed*>(b->context);
    if (borrowed->release != nullptr) borrowed->release(borrowed->context);
    delete borrowed;
  };
  node->owner = buffer;
  node->data = static_cast<char*>(data);
  return adopt(node);
}

Tensor Tensor::view(ShapeView shape, std::span<const int64_t> strides, int64_t offset) const {
  const Concrete& base = concrete();
  const LayoutSummary summary = summarize({shape, strides});
  Concrete* const node = make_concrete(base.dtype, shape.size(), 0);
  set_layout(node, {shape, strides}, summary);
  // The owner of the memory itself, so that views of views do not form chains.
  node->owner = base.owner != nullptr ? base.owner : node_;
  retain(node->owner);
  node->data = base.data + offset * size_of(base.dtype);
  return adopt(node);
}

Tensor Tensor::reinterpret(DType dtype) const {
  WEFT_ASSERT(size_of(dtype) == size_of(this->dtype()), dtype, " for ", this->dtype());
  const Tensor out = view(shape(), strides());
  out.node_->dtype = dtype;
  return out;
}

bool Tensor::is_foreign() const {
  const TensorNode* const owner = concrete().owner;
  return owner != nullptr && owner->kind == NodeKind::kBuffer &&
         static_cast<const Buffer*>(owner)->foreign;
}

bool Tensor::shares_memory_with(const Tensor& other) const {
  const auto root = [](const Tensor& t) {
    const TensorNode* const owner = t.concrete().owner;
    return owner != nullptr ? owner : t.node_;
  };
  return root(*this) == root(other);
}

double Tensor::item() const {
  const void* const at = only_element(*this);
  switch (dtype()) {
    case DType::kF16: return Half{load<uint16_t>(at)}.to_float();
    case DType::kBF16: return BFloat16{load<uint16_t>(at)}.to_float();
    case DType::kF32: return load<float>(at);
    case DType::kF64: return load<double>(at);
    case DType::kU64: return static_cast<double>(load<uint64_t>(at));
    case DType::kC64:
    case DType::kC128:
      fail(Code::kType, "item", "real", "a ", dtype(),
           " value is not a real number; take real(x) or imag(x)");
    default: return static_cast<double>(item_int());
  }
}

int64_t Tensor::item_int() const {
  const void* const at = only_element(*this);
  switch (dtype()) {
    case DType::kBool:
    case DType::kU8: return load<uint8_t>(at);
    case DType::kI8: return load<int8_t>(at);
    case DType::kU16: return load<uint16_t>(at);
    case DType::kI16: return load<int16_t>(at);
    case DType::kU32: return load<uint32_t>(at);
    case DType::kI32: return load<int32_t>(at);
    case DType::kU64: {
      const uint64_t value = load<uint64_t>(at);
      if (value > static_cast<uint64_t>(INT64_MAX)) {
        fail(Code::kOverflow, "item", "range", value, " does not fit in a signed 64-bit integer");
      }
      return static_cast<int64_t>(value);
    }
    case DType::kI64: return load<int64_t>(at);
    default: fail(Code::kType, "item", "integer", "a ", dtype(), " value is not an integer");
  }
}

void Tensor::fail_undefined() {
  fail(Code::kType, "tensor", "undefined",
       "there is no tensor here: a handle that was never given one");
}

const Concrete& Tensor::value_underneath() const {
  const TensorNode* const lowest = lowest_node(node_);
  if (lowest->kind == NodeKind::kConcrete) return *static_cast<const Concrete*>(lowest);
  const Tracer* const tracer = static_cast<const Tracer*>(lowest);
  fail(Code::kType, "tensor", "concrete", "a tensor of type ", type(), " has no value here (it is ",
       tracer->type->describe(tracer),
       "); compute with ops, or read it outside of the transformation");
}

void Tensor::copy_elements(DType wanted, void* out) const {
  if (wanted != dtype()) {
    fail(Code::kType, "to_vector", "dtype", "the tensor has dtype ", dtype(), " but ", wanted,
         " was asked for; cast it first");
  }
  const int64_t size = size_of(dtype());
  char* const to = static_cast<char*>(out);
  for_each_element(concrete(), size, [&](int64_t i, const char* from) {
    std::memcpy(to + i * size, from, static_cast<size_t>(size));
  });
}

Tensor Tensor::weak_scalar(bool value) { return make_weak(DType::kBool, value); }
Tensor Tensor::weak_scalar(int64_t value) { return make_weak(DType::kI64, value); }
Tensor Tensor::weak_scalar(double value) { return make_weak(DType::kF64, value); }

}  // namespace weft
