// Keeps the order of axes in memory from the inputs of an elementwise op to its result.
#include "weft/eager/layout.h"

#include <algorithm>

namespace weft {
namespace {

// Does the tensor fill its memory without gaps or overlaps, its axes in whatever order?
bool is_dense(const Tensor& t) {
  InlineVector<size_t, 8> axes;
  for (size_t i = 0; i < t.shape().size(); ++i) {
    if (!(t.shape()[i] == Dim(1))) axes.push_back(i);
  }
  const std::span<const int64_t> strides = t.strides();
  std::sort(axes.begin(), axes.end(), [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  int64_t expected = 1;
  for (const size_t axis : axes) {
    if (strides[axis] != expected) return false;
    expected *= t.shape()[axis].value();
  }
  return true;
}

}  // namespace

const Tensor* lead_of_layout(ShapeView shape, TensorSpan inputs) {
  for (const Tensor& t : inputs) {
    if (!std::ranges::equal(t.shape(), shape)) continue;
    return t.is_contiguous() || t.numel() == 0 || !is_dense(t) ? nullptr : &t;
  }
  return nullptr;
}

Tensor empty_for(const Type& type, TensorSpan inputs) {
  const Tensor* const lead = lead_of_layout(type.shape, inputs);
  if (lead == nullptr) return Tensor::empty(type.dtype, type.shape);
  return Tensor::empty(type.dtype, Shape{lead->numel()}).view(type.shape, lead->strides());
}

}  // namespace weft
