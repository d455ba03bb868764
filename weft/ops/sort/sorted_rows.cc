// Rows in order, of the axes that are reduced.
#include "weft/ops/sort/sorted_rows.h"

#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

SortedRows::SortedRows(const InferCtx& cx, const Tensor& x, const ReduceAttrs& at)
    : kept(reduced_shape(cx, x.shape(), at.axis, at.keepdims)) {
  const Ints axes = reduced_axes(cx, x.shape(), at.axis);
  n = reduced_count(x.shape(), axes).value();
  cx.require(n > 0, "empty", "shape ", x.shape(), " has no elements over axes ", axes,
             ", and there is no middle of nothing; reduce axes of size 1 or more");
  Ints order;
  Shape joined;
  for (int64_t i = 0, next = 0; i < x.rank(); ++i) {
    const bool reduced =
        next < static_cast<int64_t>(axes.size()) && axes[static_cast<size_t>(next)] == i;
    if (reduced) ++next;
    if (!reduced) order.push_back(i), joined.push_back(x.dim(i));
  }
  for (int64_t axis : axes) order.push_back(axis);
  joined.push_back(n);
  rows = sort(reshape(permute_dims(x, order), joined), -1);
}

Tensor SortedRows::at(int64_t place) const {
  const Index index{{.kind = IndexItem::Kind::kEllipsis, .start = {}, .stop = {}},
                    {.kind = IndexItem::Kind::kInteger, .start = place, .stop = {}}};
  return slice(rows, index);
}

// Halves alone would not do: that of the least number is 0.
Tensor mean_of_two(const Tensor& a, const Tensor& b) {
  const Tensor total = a + b;
  const Tensor half_b = b * 0.5, halves = a * 0.5 + half_b, half = total * 0.5;
  return where(isfinite(total), half, halves);
}

}  // namespace weft
