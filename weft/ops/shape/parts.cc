// Parts of an axis: a split of which the others are left.
#include "weft/ops/shape/parts.h"

#include "weft/op/infer.h"

namespace weft {
namespace {

// Where a bound lies: what a trace cannot decide is taken to lie inside, and split says so if not.
Dim placed(Dim bound, Dim size) {
  if (decide_less(bound, 0) == Tri::kYes) bound = size + bound;
  if (decide_less(bound, 0) == Tri::kYes) return 0;
  return decide_less(size, bound) == Tri::kYes ? size : bound;
}

}  // namespace

Tensor part_of(const Tensor& x, int64_t axis, std::optional<Dim> start, std::optional<Dim> stop,
               Where where) {
  const Dim size = x.dim(axis);
  const Dim begin = start ? placed(*start, size) : Dim(0);
  Dim end = stop ? placed(*stop, size) : size;
  if (decide_less(end, begin) == Tri::kYes) end = begin;
  return parts_of(x, {begin, end - begin, size - end}, axis, where)[1];
}

Tensor row_at(const Tensor& x, int64_t axis, Dim place, Where where) {
  const Dim size = x.dim(axis);
  const Dim at = decide_less(place, 0) == Tri::kYes ? size + place : place;
  const bool is_inside = decide_less(at, 0) != Tri::kYes && decide_less(at, size) != Tri::kNo;
  InferCtx{"slice"}.require_index(is_inside, "range", "index ", place, " is out of range for axis ",
                                  axis, " of shape ", x.shape(), "; indices go from ",
                                  Dim(0) - size, " to ", size - 1);
  return parts_of(x, {at, 1, size - at - 1}, axis, where)[1];
}

}  // namespace weft
