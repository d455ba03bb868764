// expand_dims: a new axis of size 1, as a view.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct ExpandAttrs {
  int64_t axis = 0;
  static constexpr auto fields =
      fields_of(field("axis", &ExpandAttrs::axis, "where the new axis goes"));
};

int64_t new_axis(const ExpandAttrs& at, const InferCtx& cx, int64_t rank) {
  const int64_t axis = normalized(at.axis, rank + 1);
  cx.require_index(0 <= axis && axis <= rank, "axis", "axis ", at.axis,
                   " is out of range for a result of rank ", rank + 1, "; axes go from ", -rank - 1,
                   " to ", rank);
  return axis;
}

Types expand_infer(const ExpandAttrs& at, const InferCtx& cx, TypeSpan in) {
  Type out = in[0];
  out.shape.insert(static_cast<size_t>(new_axis(at, cx, in[0].rank())), 1);
  return {out};
}

Tensors run(const ExpandAttrs& at, TensorSpan in, TypeSpan out) {
  const Tensor& x = in[0];
  Ints strides(x.strides());
  strides.insert(static_cast<size_t>(normalized(at.axis, x.rank() + 1)), 0);
  return {x.view(out[0].shape, strides)};
}

Tensors transpose(const ExpandAttrs&, const GradCtx& cx, TensorSpan g) {
  return {reshape(g[0], Shape(cx.inputs[0].shape()), cx.where)};
}

Tensors batched(const ExpandAttrs& at, const BatchCtx& cx) {
  return {expand_dims(cx.inputs[0], normalized(at.axis, cx.inputs[0].rank()) + 1, cx.where)};
}

}  // namespace

constinit const OpDef kExpandDims{
    .name = "expand_dims",
    .doc = "The tensor with a new axis of size 1 at `axis` of the result. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ExpandAttrs>(),
    .infer = rule<expand_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::run<run>(),
    .known_as = {Alias{"numpy", "expand_dims"}, Alias{"torch", "unsqueeze"},
                 Alias{"jax", "numpy.expand_dims"}, Alias{"tf", "expand_dims"}},
    .is_view = true,
};

Tensor expand_dims(const Tensor& x, int64_t axis, Where where) {
  return apply(kExpandDims, inputs(x), ExpandAttrs{axis}, where);
}

}  // namespace weft
