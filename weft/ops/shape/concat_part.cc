// concat.part: a part along an axis, from and of sizes that only a run may know.
#include "weft/ops/shape/concat_part.h"

#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct PartAttrs {
  int64_t axis = 0;
  Shape range;
  static constexpr auto fields = fields_of(
      field("axis", &PartAttrs::axis, "the axis that was joined along", kRequired),
      field("range", &PartAttrs::range, "where the part begins, and its size", kRequired));
};

Types part_infer(const PartAttrs& at, const InferCtx& cx, TypeSpan in) {
  Type out = in[0];
  const auto axis = static_cast<size_t>(cx.axis(at.axis, out.shape));
  cx.require(at.range.size() == 2, "range", "range is ", at.range,
             "; it is where the part begins, and its size");
  const Dim size = out.shape[axis], end = at.range[0] + at.range[1];
  cx.require(!size.is_known() || !end.is_known() || end.value() <= size.value(), "range",
             "a part of ", at.range[1], " from ", at.range[0], " on ends behind the ", size,
             " of axis ", at.axis);
  out.shape[axis] = at.range[1];
  return {out};
}

Tensors run(const PartAttrs& at, TensorSpan in, TypeSpan out) {
  const Tensor& x = in[0];
  const auto axis = static_cast<size_t>(normalized(at.axis, x.rank()));
  const bool is_empty = num_elements(out[0].shape) == Dim(0);
  return {
      x.view(out[0].shape, x.strides(), is_empty ? 0 : at.range[0].value() * x.strides()[axis])};
}

// The cotangent with zeros around it.
Tensors transpose(const PartAttrs& at, const GradCtx& cx, TensorSpan g) {
  const auto axis = static_cast<size_t>(normalized(at.axis, g[0].rank()));
  Shape before(g[0].shape()), after = before;
  before[axis] = at.range[0];
  after[axis] = cx.inputs[0].shape()[axis] - at.range[0] - at.range[1];
  const DType dtype = g[0].dtype();
  return {concat(Tensors{zeros(before, dtype, cx.where), g[0], zeros(after, dtype, cx.where)},
                 at.axis, cx.where)};
}

Tensors batched(const PartAttrs& at, const BatchCtx& cx) {
  const int64_t axis = normalized(at.axis, cx.inputs[0].rank() - 1) + 1;
  return {concat_part(cx.inputs[0], axis, at.range[0], at.range[1], cx.where)};
}

}  // namespace

constinit const OpDef kConcatPart{
    .name = "concat.part",
    .doc =
        "The part of `x` along `axis` that begins at `range[0]` and has the size `range[1]`: a "
        "view. Part of the transpose of `concat` where only a run knows the sizes.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<PartAttrs>(),
    .laws = {Law{"range", "the part lies in the axis"}},
    .infer = rule<part_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::run<run>(),
    .is_view = true,
};

Tensor concat_part(const Tensor& x, int64_t axis, Dim begin, Dim size, Where where) {
  return apply(kConcatPart, inputs(x), PartAttrs{axis, {begin, size}}, where);
}

}  // namespace weft
