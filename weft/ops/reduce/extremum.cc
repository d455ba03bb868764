// What max and min share: inference, and gradients that ties share equally.
#include "weft/ops/reduce/extremum.h"

#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// For each element its share of its row's result: 1 / (number of ties) if it is one, else 0. In a
// row whose result is NaN nothing equals it, and 0 / 0 makes every share NaN.
Tensor shares(const ReduceAttrs& at, const GradCtx& cx) {
  const Tensor& x = cx.inputs[0];
  const DType wide = compute_of(x.dtype());  // counts do not fit half floats
  const Ints axes = reduced_axes(InferCtx{"reduce"}, x.shape(), at.axis);
  const Tensor chosen =
      cast(equal(x, spread(cx.outputs[0], x, at.axis, cx.where), cx.where), wide, cx.where);
  const Tensor ties = sum(chosen, axes, /*keepdims=*/true, cx.where);
  return cast(divide(chosen, ties, cx.where), x.dtype(), cx.where);
}

}  // namespace

Types extremum_infer(const ReduceAttrs& at, const InferCtx& cx, TypeSpan in) {
  require_elements(cx, in[0].shape, reduced_axes(cx, in[0].shape, at.axis));
  return {{in[0].dtype, reduced_shape(cx, in[0].shape, at.axis, at.keepdims)}};
}

Tensors extremum_vjp(const ReduceAttrs& at, const GradCtx& cx, TensorSpan g) {
  return {multiply_no_nan(spread(g[0], cx.inputs[0], at.axis, cx.where), shares(at, cx), cx.where)};
}

Tensors extremum_jvp(const ReduceAttrs& at, const GradCtx& cx, TensorSpan t) {
  if (!t[0].defined()) return {Tensor()};
  return {sum(multiply_no_nan(t[0], shares(at, cx), cx.where), at.axis, at.keepdims, cx.where)};
}

}  // namespace weft
