// flip: elements in reverse order along axes, as a view with negative strides.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct FlipAttrs {
  std::optional<Ints> axis;
  static constexpr auto fields = fields_of(
      field("axis", &FlipAttrs::axis, "the axis or axes to reverse; all of them if left out"));
};

Types flip_infer(const FlipAttrs& at, const InferCtx& cx, TypeSpan in) {
  if (at.axis) cx.axes(*at.axis, in[0].shape);
  return {in[0]};
}

ViewLayouts views(const FlipAttrs& at, const StridedLayout& x, TypeSpan) {
  Ints axes;
  for (int64_t i = 0; i < rank_of(x.shape) && !at.axis; ++i) axes.push_back(i);
  if (at.axis) axes = InferCtx{"flip"}.axes(*at.axis, x.shape);
  Ints strides(x.strides);
  int64_t offset = 0;
  for (int64_t axis : axes) {
    const auto i = static_cast<size_t>(axis);
    offset += strides[i] * (x.shape[i].value() - 1);
    strides[i] = -strides[i];
  }
  return {ViewLayout{strides, num_elements(x.shape) == Dim(0) ? 0 : offset}};
}

Tensors transpose(const FlipAttrs& at, const GradCtx& cx, TensorSpan g) {
  return {flip(g[0], at.axis, cx.where)};
}

}  // namespace

constinit const OpDef kFlip{
    .name = "flip",
    .doc = "The elements in reverse order along `axis`. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<FlipAttrs>(),
    .infer = rule<flip_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::view<views>(),
    .known_as = {Alias{"numpy", "flip"}, Alias{"torch", "flip"}, Alias{"jax", "numpy.flip"},
                 Alias{"tf", "reverse"}},
};

Tensor flip(const Tensor& x, std::optional<Ints> axis, Where where) {
  return apply(kFlip, inputs(x), FlipAttrs{std::move(axis)}, where);
}

}  // namespace weft
