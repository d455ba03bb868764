// expand_dims: new axes of size 1, as a view.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct ExpandAttrs {
  Ints axis{0};
  static constexpr auto fields =
      fields_of(field("axis", &ExpandAttrs::axis, "where the new axis goes, or the new axes"));
};

// The new axes of the result, in ascending order.
Ints new_axes(const ExpandAttrs& at, const InferCtx& cx, int64_t rank) {
  const int64_t wider = rank + static_cast<int64_t>(at.axis.size());
  Ints axes;
  for (const int64_t given : at.axis) {
    const int64_t axis = normalized(given, wider);
    cx.require_index(0 <= axis && axis < wider, "axis", "axis ", given,
                     " is out of range for a result of rank ", wider, "; axes go from ", -wider,
                     " to ", wider - 1);
    cx.require(std::find(axes.begin(), axes.end(), axis) == axes.end(), "axis_twice", "axes ",
               at.axis, " name an axis of a result of rank ", wider, " twice; name each axis once");
    axes.push_back(axis);
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

Types expand_infer(const ExpandAttrs& at, const InferCtx& cx, TypeSpan in) {
  Type out = in[0];
  for (const int64_t axis : new_axes(at, cx, in[0].rank())) {
    out.shape.insert(static_cast<size_t>(axis), 1);
  }
  return {out};
}

ViewLayouts views(const ExpandAttrs& at, const StridedLayout& x, TypeSpan) {
  Ints strides(x.strides);
  for (const int64_t axis : new_axes(at, InferCtx{"expand_dims"}, rank_of(x.shape))) {
    strides.insert(static_cast<size_t>(axis), 0);
  }
  return {ViewLayout{strides}};
}

Tensors transpose(const ExpandAttrs&, const GradCtx& cx, TensorSpan g) {
  return {reshape(g[0], Shape(cx.inputs[0].shape()), cx.where)};
}

Tensors batched(const ExpandAttrs& at, const BatchCtx& cx) {
  Ints axes = new_axes(at, InferCtx{"expand_dims"}, cx.inputs[0].rank() - 1);
  for (int64_t& axis : axes) ++axis;
  return {apply(kExpandDims, inputs(cx.inputs[0]), ExpandAttrs{axes}, cx.where)};
}

}  // namespace

constinit const OpDef kExpandDims{
    .name = "expand_dims",
    .doc =
        "The tensor with a new axis of size 1 at `axis` of the result, or several. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ExpandAttrs>(),
    .infer = rule<expand_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::view<views>(),
    .known_as = {Alias{"numpy", "expand_dims"}, Alias{"torch", "unsqueeze"},
                 Alias{"jax", "numpy.expand_dims"}, Alias{"tf", "expand_dims"}},
};

Tensor expand_dims(const Tensor& x, int64_t axis, Where where) {
  return apply(kExpandDims, inputs(x), ExpandAttrs{{axis}}, where);
}

}  // namespace weft
