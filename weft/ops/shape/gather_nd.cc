// gather_nd and scatter_nd: reading and adding where the last axis of one index tensor points.
#include "weft/op/apply.h"
#include "weft/ops/shape/index_at.h"

namespace weft {
namespace {

// The indices of each axis, and their axes.
struct Columns {
  Tensors indices;
  IndexAtAttrs at;
};

Columns columns_of(const InferCtx& cx, const Tensor& indices, int64_t rank) {
  cx.require(indices.rank() >= 1, "indices", "indices have rank 0; their last axis names a place");
  const int64_t depth = indices.dim(-1).value();
  cx.require(1 <= depth && depth <= rank, "depth", "indices have shape ", indices.shape(),
             ", so a place has ", depth, " coordinates, but there are ", rank,
             " axes; give at least one and at most one for each");
  Columns out;
  out.indices = unstack(indices, -1);
  for (int64_t axis = 0; axis < depth; ++axis) out.at.axes.push_back(axis);
  return out;
}

Tensors gathered(const NoAttrs&, TensorSpan in) {
  const Columns columns = columns_of(InferCtx{"gather_nd"}, in[1], in[0].rank());
  return {index_at(in[0], columns.indices, columns.at, Where{})};
}

Tensors scattered(const ShapeAttrs& at, TensorSpan in) {
  const Columns columns = columns_of(InferCtx{"scatter_nd"}, in[1], rank_of(at.shape));
  return {add_at(zeros(at.shape, in[0].dtype()), in[0], columns.indices, columns.at, Where{})};
}

}  // namespace

constinit const CompositeDef kGatherNd{
    .name = "gather_nd",
    .doc =
        "`out[p] = x[indices[p, 0], indices[p, 1], ...]`: the last axis of `indices` holds the "
        "coordinates of an element of `x`, or of a slice if there are fewer than axes.",
    .inputs = {"x: any", "indices: integer"},
    .outputs = {"out: like x"},
    .laws = {Law{"indices", "indices have an axis"},
             Law{"depth", "there are at most as many coordinates as axes"}},
    .compose = rule<gathered>(),
    .known_as = {Alias{"tf", "gather_nd"}},
};

constinit const CompositeDef kScatterNd{
    .name = "scatter_nd",
    .doc =
        "Zeros of `shape` to which `updates[p]` is added at `[indices[p, 0], indices[p, 1], ...]`: "
        "the transpose of `gather_nd`. Several updates of one element are added in the order of "
        "their position.",
    .inputs = {"updates: any", "indices: integer"},
    .outputs = {"out: like updates"},
    .attrs = attrs_type<ShapeAttrs>(),
    .laws = {Law{"indices", "indices have an axis"},
             Law{"depth", "there are at most as many coordinates as axes"}},
    .compose = rule<scattered>(),
    .known_as = {Alias{"tf", "scatter_nd"}},
};

Tensor gather_nd(const Tensor& x, const Tensor& indices, Where where) {
  return compose(kGatherNd, inputs(x, indices), kNoAttrs, where);
}
Tensor scatter_nd(const Tensor& updates, const Tensor& indices, const Shape& shape, Where where) {
  return compose(kScatterNd, inputs(updates, indices), ShapeAttrs{shape}, where);
}

}  // namespace weft
