// along_rows: a native kernel that works along the last axis, on any axis.
#pragma once

#include "weft/core/native.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

// The axes of a tensor of this rank with `axis` moved to the end.
inline Ints with_axis_last(int64_t rank, int64_t axis) {
  Ints axes;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != axis) axes.push_back(i);
  }
  axes.push_back(axis);
  return axes;
}
// The axes that put the last one back to where it was.
inline Ints with_last_at(int64_t rank, int64_t axis) {
  Ints axes;
  for (int64_t i = 0; i < rank; ++i) {
    axes.push_back(i < axis ? i : i == axis ? rank - 1 : i - 1);
  }
  return axes;
}

// Calls kernel(out, rows) on contiguous tensors with `axis` moved to the end in both. x and the
// contiguous `out` have one rank.
template <class Kernel>
void along_rows(const Tensor& x, int64_t axis, const Tensor& out, const Kernel& kernel) {
  const int64_t rank = x.rank();
  if (axis == rank - 1) return kernel(out, packed(x));
  const Ints axes = with_axis_last(rank, axis);
  Shape moved;
  for (int64_t i : axes) moved.push_back(out.dim(i));
  const Tensor rows = Tensor::empty(out.dtype(), moved);
  kernel(rows, packed(permuted_view(x, axes)));
  native::copy(out, permuted_view(rows, with_last_at(rank, axis)));
}

}  // namespace weft
