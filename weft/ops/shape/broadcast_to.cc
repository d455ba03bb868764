// broadcast_to: repeats axes of size 1, and adds axes in front, without copying.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types broadcast_infer(const ShapeAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape &from = in[0].shape, &to = at.shape;
  cx.require(from.size() <= to.size(), "rank", "cannot broadcast ", from, " to ", to,
             ", which has fewer axes; axes are added in front only");
  for (size_t i = 1; i <= to.size(); ++i) {
    const Dim target = to[to.size() - i];
    cx.require(!target.is_known() || target.value() >= 0, "negative", "shape ", to,
               " has a negative size; sizes are at least 0");
    if (i > from.size()) continue;
    const Dim size = from[from.size() - i];
    cx.require(size == Dim(1) || same(size, target) != Tri::kNo, "size", "cannot broadcast ", from,
               " to ", to, ": axis ", -static_cast<int64_t>(i), " has size ", size, ", not 1 or ",
               target);
  }
  return {{in[0].dtype, to}};
}

// Repeated axes have stride 0.
ViewLayouts views(const ShapeAttrs&, const StridedLayout& x, TypeSpan out) {
  Ints strides(out[0].shape.size(), 0);
  const size_t added = strides.size() - x.shape.size();
  for (size_t i = added; i < strides.size(); ++i) {
    if (!(x.shape[i - added] == Dim(1))) strides[i] = x.strides[i - added];
  }
  return {ViewLayout{strides}};
}

// The machinery sums the cotangent down to the input's shape.
Tensors transpose(const ShapeAttrs&, const GradCtx&, TensorSpan g) { return {g[0]}; }

Tensors batched(const ShapeAttrs& at, const BatchCtx& cx) {
  const Tensor& x = cx.inputs[0];
  Shape aligned{cx.size};
  for (size_t i = x.shape().size() - 1; i < at.shape.size(); ++i) aligned.push_back(1);
  for (Dim dim : x.shape().subspan(1)) aligned.push_back(dim);
  Shape shape = at.shape;
  shape.insert(0, cx.size);
  return {broadcast_to(reshape(x, aligned, cx.where), shape, cx.where)};
}

}  // namespace

constinit const OpDef kBroadcastTo{
    .name = "broadcast_to",
    .doc =
        "The tensor under a larger shape: axes of size 1 are repeated, axes are added in front. "
        "Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ShapeAttrs>(),
    .laws = {Law{"rank", "the new shape has at least as many axes"},
             Law{"negative", "sizes are at least 0"}, Law{"size", "each size is 1 or stays"}},
    .infer = rule<broadcast_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::view<views>(),
    .known_as = {Alias{"numpy", "broadcast_to"},
                 Alias{"torch", "expand: ours takes no -1 for a size that stays"},
                 Alias{"torch", "broadcast_to"}, Alias{"jax", "numpy.broadcast_to"},
                 Alias{"tf", "broadcast_to"}},
};

Tensor broadcast_to(const Tensor& x, const Shape& shape, Where where) {
  return apply(kBroadcastTo, inputs(x), ShapeAttrs{shape}, where);
}

}  // namespace weft
