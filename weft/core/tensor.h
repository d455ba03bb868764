// Tensor: a one-pointer handle to an immutable value.
#pragma once

#include <concepts>
#include <span>
#include <utility>
#include <vector>

#include "weft/core/half.h"
#include "weft/core/node.h"
#include "weft/core/shape.h"

namespace weft {

class Tensor {
 public:
  Tensor() noexcept = default;  // undefined: no value at all
  Tensor(const Tensor& other) noexcept : node_(other.node_) {
    if (node_) retain(node_);
  }
  Tensor(Tensor&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Tensor() {
    if (node_) release(node_);
  }

  // A language scalar of rank 0: it takes the dtype of the tensor it meets (x + 1.0).
  template <class T>
    requires std::is_arithmetic_v<T>
  Tensor(T value) : Tensor(weak_scalar(value)) {}  // NOLINT(google-explicit-constructor)

  // Uninitialised contiguous memory; only the op that makes the value writes to it.
  static Tensor empty(DType dtype, ShapeView shape);
  // The same for a shape that a contiguous tensor has already: nothing is checked or computed
  // again.
  static Tensor empty_like(const Tensor& contiguous, DType dtype);
  // A rank-0 tensor of `dtype`; the value is converted as the op `cast` does.
  static Tensor scalar(DType dtype, double value);
  // A copy of row-major `bytes`, whose size must fit.
  static Tensor from_bytes(DType dtype, ShapeView shape, std::span<const std::byte> bytes);
  // Outside memory, borrowed until the last tensor over it is gone; then release(context) is
  // called. Strides in elements.
  static Tensor borrow(void* data, DType dtype, ShapeView shape, std::span<const int64_t> strides,
                       void (*release)(void* context), void* context, bool foreign);
  // Another view of this tensor's memory: `offset` in elements from its first element.
  Tensor view(ShapeView shape, std::span<const int64_t> strides, int64_t offset = 0) const;
  // The same memory read as another dtype of the same size.
  Tensor reinterpret(DType dtype) const;

  bool defined() const { return node_ != nullptr; }
  explicit operator bool() const = delete;  // ambiguous: defined(), or item<bool>()
  // Of an undefined tensor these raise.
  DType dtype() const { return checked()->dtype; }
  int64_t rank() const { return checked()->rank; }
  ShapeView shape() const { return {checked()->dims, node_->rank}; }
  Dim dim(int64_t axis) const { return checked()->dims[normalized(axis, rank())]; }
  Type type() const { return {dtype(), Shape(shape())}; }
  uint32_t level() const { return node_->level; }
  bool is_weak() const { return node_->weak; }
  bool is_concrete() const { return node_->kind == NodeKind::kConcrete; }
  Device device() const { return {}; }

  // Of concrete tensors, and of tracers that have a value underneath (grad, jvp); others raise.
  int64_t numel() const { return concrete().numel; }
  std::span<const int64_t> strides() const {
    return {concrete().strides, node_->rank};
  }  // in elements
  bool is_contiguous() const { return concrete().contiguous; }
  const void* data() const { return concrete().data; }
  bool is_foreign() const;  // over borrowed memory that others may own
  bool shares_memory_with(const Tensor& other) const;
  // For the op that makes this value, before anyone else sees it.
  void* writable_data() const { return concrete().data; }

  // The elements in row-major order. T must be the dtype's C++ type (bool, int32_t, float, Half,
  // ...).
  template <class T>
  std::vector<T> to_vector() const {
    // std::vector<bool> has no bytes to copy to.
    std::vector<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>> out(
        static_cast<size_t>(numel()));
    copy_elements(dtype_of<T>(), out.data());
    return std::vector<T>(out.begin(), out.end());
  }
  // The only element, converted to double, int64_t or bool; a tensor with several raises.
  double item() const;
  int64_t item_int() const;

  TensorNode* node() const { return node_; }
  static Tensor adopt(TensorNode* node) noexcept {  // takes over one reference
    Tensor t;
    t.node_ = node;
    return t;
  }
  TensorNode* give_up() noexcept { return std::exchange(node_, nullptr); }

  template <class T>
  static constexpr DType dtype_of();

 private:
  const TensorNode* checked() const {
    if (node_ == nullptr) [[unlikely]]
      fail_undefined();
    return node_;
  }
  [[noreturn]] static void fail_undefined();
  const Concrete& concrete() const {
    if (checked()->kind != NodeKind::kConcrete) [[unlikely]]
      return value_underneath();
    return *static_cast<const Concrete*>(node_);
  }
  const Concrete& value_underneath() const;
  void copy_elements(DType dtype, void* out) const;
  static Tensor weak_scalar(bool value);
  static Tensor weak_scalar(int64_t value);
  static Tensor weak_scalar(double value);
  template <class T>
  static Tensor weak_scalar(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      return weak_scalar(static_cast<double>(value));
    } else {
      return weak_scalar(static_cast<int64_t>(value));
    }
  }

  TensorNode* node_ = nullptr;
};

template <class T>
constexpr DType Tensor::dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kU8;
  if constexpr (std::is_same_v<T, int8_t>) return DType::kI8;
  if constexpr (std::is_same_v<T, uint16_t>) return DType::kU16;
  if constexpr (std::is_same_v<T, int16_t>) return DType::kI16;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::kU32;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kI32;
  if constexpr (std::is_same_v<T, uint64_t>) return DType::kU64;
  if constexpr (std::is_same_v<T, int64_t>) return DType::kI64;
  if constexpr (std::is_same_v<T, Half>) return DType::kF16;
  if constexpr (std::is_same_v<T, BFloat16>) return DType::kBF16;
  if constexpr (std::is_same_v<T, float>) return DType::kF32;
  if constexpr (std::is_same_v<T, double>) return DType::kF64;
  if constexpr (std::is_same_v<T, Complex64>) return DType::kC64;
  if constexpr (std::is_same_v<T, Complex128>) return DType::kC128;
}

using Tensors = InlineVector<Tensor, 4>;
using TensorSpan = std::span<const Tensor>;

// Borrowed handles in a row: what apply takes. No reference counts are touched.
template <class... T>
struct Inputs {
  alignas(Tensor) TensorNode* nodes[sizeof...(T) == 0 ? 1 : sizeof...(T)];
  operator TensorSpan() const {  // NOLINT(google-explicit-constructor)
    return {reinterpret_cast<const Tensor*>(nodes), sizeof...(T)};
  }
};
template <class... T>
Inputs<T...> inputs(const T&... tensors) {
  return {{tensors.node()...}};
}

// The text of a concrete tensor as NumPy would print it, e.g. `tensor([1., 2.], dtype=float32)`.
std::string to_string(const Tensor& tensor);

}  // namespace weft
