// gather: for each index the element it names along an axis (take_along_axis of the array API).
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/shape/indexing.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// Both shapes with the other axes broadcast; each keeps its own size on `axis`.
struct Joint {
  Shape x, indices;
};

Joint joint_of(const AlongAxisAttrs& at, const InferCtx& cx, ShapeView x, ShapeView indices) {
  cx.require(x.size() == indices.size(), "rank", "x has shape ", x, " but indices have shape ",
             indices, "; their ranks must be equal");
  const auto axis = static_cast<size_t>(cx.axis(at.axis, x));
  Shape a(x), b(indices);
  a[axis] = 1;
  b[axis] = 1;
  Shape both = cx.broadcast(a, b);
  Joint out{both, both};
  out.x[axis] = x[axis];
  out.indices[axis] = indices[axis];
  return out;
}

Types gather_infer(const AlongAxisAttrs& at, const InferCtx& cx, TypeSpan in) {
  require_index_dtype(cx, in[1].dtype);
  return {{in[0].dtype, joint_of(at, cx, in[0].shape, in[1].shape).indices}};
}

void run(const AlongAxisAttrs& at, TensorSpan in, TensorSpan out) {
  const Joint joint = joint_of(at, InferCtx{"gather"}, in[0].shape(), in[1].shape());
  const Tensor& result = out[0];
  native::gather(result, broadcast_to(in[0], joint.x),
                 broadcast_to(index_tensor(in[1]), joint.indices),
                 normalized(at.axis, out[0].rank()), {"gather", "range"});
}

// The machinery sums the cotangent down where x was broadcast.
Tensors transpose(const AlongAxisAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Joint joint = joint_of(at, InferCtx{"gather"}, cx.inputs[0].shape(), cx.inputs[1].shape());
  const Tensor places = broadcast_to(cx.inputs[1], joint.indices, cx.where);
  const Tensor nothing = zeros(joint.x, g[0].dtype(), cx.where);
  return {scatter_add(nothing, places, g[0], at.axis, cx.where), Tensor()};
}

}  // namespace

constinit const OpDef kGather{
    .name = "gather",
    .doc =
        "`out[i, j] = x[i, indices[i, j]]` for `axis=1`, and so for any rank and axis: along "
        "`axis` the element that each index names. Other axes broadcast. Negative indices count "
        "from the end; one out of range raises.",
    .inputs = {"x: any", "indices: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<AlongAxisAttrs>(),
    .laws = {Law{"rank", "both have one rank"}, Law{"index_dtype", "indices fit int64"},
             Law{"range", "indices are in range"}},
    .infer = rule<gather_infer>(),
    .grad = derive::linear<transpose>().except(1, "indices are integers"),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"numpy", "take_along_axis"},
                 Alias{"torch", "gather: ours takes the axis last, and broadcasts the other axes"},
                 Alias{"jax", "numpy.take_along_axis"},
                 Alias{"tf", "experimental.numpy.take_along_axis"}},
};

Tensor gather(const Tensor& x, const Tensor& indices, int64_t axis, Where where) {
  return apply(kGather, inputs(x, indices), AlongAxisAttrs{axis}, where);
}

}  // namespace weft
