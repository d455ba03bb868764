// squeeze: without some axes of size 1, as a view.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct SqueezeAttrs {
  Ints axis;
  static constexpr auto fields =
      fields_of(field("axis", &SqueezeAttrs::axis, "the axis or axes to take out", kRequired));
};

Types squeeze_infer(const SqueezeAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape& shape = in[0].shape;
  const Ints axes = cx.axes(at.axis, shape);
  Type out = in[0];
  for (size_t i = axes.size(); i-- > 0;) {
    const auto axis = static_cast<size_t>(axes[i]);
    cx.require(same(shape[axis], 1) != Tri::kNo, "size", "axis ", axes[i], " of shape ", shape,
               " has size ", shape[axis], "; only axes of size 1 can be taken out");
    out.shape.erase(axis);
  }
  return {out};
}

ViewLayouts views(const SqueezeAttrs& at, const StridedLayout& x, TypeSpan) {
  const Ints axes = InferCtx{"squeeze"}.axes(at.axis, x.shape);
  Ints strides(x.strides);
  for (size_t i = axes.size(); i-- > 0;) strides.erase(static_cast<size_t>(axes[i]));
  return {ViewLayout{strides}};
}

Tensors transpose(const SqueezeAttrs&, const GradCtx& cx, TensorSpan g) {
  return {reshape(g[0], Shape(cx.inputs[0].shape()), cx.where)};
}

}  // namespace

constinit const OpDef kSqueeze{
    .name = "squeeze",
    .doc = "The tensor without the given axes, which must have size 1. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<SqueezeAttrs>(),
    .laws = {Law{"size", "the axes have size 1"}},
    .infer = rule<squeeze_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::view<views>(),
    .known_as = {Alias{"numpy", "squeeze: ours needs the axis"},
                 Alias{"torch", "squeeze: ours needs the axis, and raises where its size is not 1"},
                 Alias{"jax", "numpy.squeeze: ours needs the axis"}, Alias{"tf", "squeeze"}},
};

Tensor squeeze(const Tensor& x, const Ints& axis, Where where) {
  return apply(kSqueeze, inputs(x), SqueezeAttrs{axis}, where);
}

}  // namespace weft
