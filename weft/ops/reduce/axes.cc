// What reductions share: which axes they reduce, and the shape that is left.
#include "weft/ops/reduce/reduce.h"

namespace weft {

Ints reduced_axes(ShapeView shape, const std::optional<Ints>& axis) {
  if (axis) return InferCtx{"reduce"}.axes(*axis, shape);
  Ints all;
  for (int64_t i = 0; i < rank_of(shape); ++i) all.push_back(i);
  return all;
}

Shape reduced_shape(const InferCtx& cx, ShapeView shape, const std::optional<Ints>& axis,
                    bool keepdims) {
  const Ints axes = axis ? cx.axes(*axis, shape) : reduced_axes(shape, axis);
  Shape out;
  size_t next = 0;
  for (int64_t i = 0; i < rank_of(shape); ++i) {
    const bool reduced = next < axes.size() && axes[next] == i;
    if (reduced) ++next;
    if (!reduced) out.push_back(shape[static_cast<size_t>(i)]);
    if (reduced && keepdims) out.push_back(1);
  }
  return out;
}

}  // namespace weft
