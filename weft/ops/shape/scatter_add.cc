// scatter_add: a copy of x with updates added at indices along an axis.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/shape/indexing.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types scatter_infer(const AlongAxisAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape &x = in[0].shape, &indices = in[1].shape, &updates = in[2].shape;
  require_index_dtype(cx, in[1].dtype);
  const auto axis = static_cast<size_t>(cx.axis(at.axis, x));
  cx.require(same(indices, updates) != Tri::kNo, "updates", "indices have shape ", indices,
             " but updates have shape ", updates, "; they must be equal");
  bool fits = indices.size() == x.size();
  for (size_t i = 0; fits && i < x.size(); ++i) {
    fits = i == axis || same(x[i], indices[i]) != Tri::kNo;
  }
  cx.require(fits, "shape", "indices have shape ", indices, " but x has shape ", x,
             "; they may differ only on axis ", at.axis);
  return {in[0]};
}

void run(const AlongAxisAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  native::copy(result, in[0]);
  native::scatter_add(result, index_tensor(in[1]), in[2], normalized(at.axis, result.rank()),
                      {"scatter_add", "range"});
}

Tensors transpose(const AlongAxisAttrs& at, const GradCtx& cx, TensorSpan g) {
  Tensors out{g[0], Tensor(), Tensor()};
  if (cx.wanted[2]) out[2] = gather(g[0], cx.inputs[1], at.axis, cx.where);
  return out;
}

}  // namespace

constinit const OpDef kScatterAdd{
    .name = "scatter_add",
    .doc =
        "A copy of `x` to which `updates[i, j]` is added at `[i, indices[i, j]]` for `axis=1`, and "
        "so for any rank and axis: the transpose of `gather`. Several updates of one element are "
        "added in the order of their position. Negative indices count from the end; one out of "
        "range raises.",
    .inputs = {"x: numeric", "indices: integer", "updates: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<AlongAxisAttrs>(),
    .laws = {Law{"updates", "indices and updates have one shape"},
             Law{"shape", "indices differ from x only on the axis"},
             Law{"index_dtype", "indices fit int64"}, Law{"range", "indices are in range"}},
    .infer = rule<scatter_infer>(),
    .grad = derive::linear<transpose>().except(1, "indices are integers"),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"torch", "scatter_add: ours takes the axis last, after indices and updates"},
                 Alias{"jax", "lax.scatter_add"}},
};

Tensor scatter_add(const Tensor& x, const Tensor& indices, const Tensor& updates, int64_t axis,
                   Where where) {
  return apply(kScatterAdd, inputs(x, indices, updates), AlongAxisAttrs{axis}, where);
}

}  // namespace weft
