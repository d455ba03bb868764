// What max and min share: inference, and gradients that ties share equally.
#include "weft/ops/reduce/extremum.h"

#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// For each element its share of its row's result: 1 / (number of ties) if it is one, else 0. In a
// row whose result is NaN nothing equals it, and 0 / 0 makes every share NaN; but 0 / 1 where
// `change`, of rows or of elements, is 0: nothing comes from there.
Tensor shares(const ReduceAttrs& at, const GradCtx& cx, const Tensor& change) {
  const Tensor& x = cx.inputs[0];
  const DType wide = compute_of(x.dtype());  // counts do not fit half floats
  const Ints axes = reduced_axes(InferCtx{"reduce"}, x.shape(), at.axis);
  const Tensor chosen =
      cast(equal(x, spread(cx.outputs[0], x, at.axis, cx.where), cx.where), wide, cx.where);
  const Tensor ties = sum(chosen, axes, /*keepdims=*/true, cx.where);
  const Tensor none = equal(change, scalar_like(change, 0), cx.where);
  const Tensor divisor = where(none, maximum(ties, scalar_like(ties, 1), cx.where), ties, cx.where);
  return cast(divide(chosen, divisor, cx.where), x.dtype(), cx.where);
}

}  // namespace

Types extremum_infer(const ReduceAttrs& at, const InferCtx& cx, TypeSpan in) {
  require_elements(cx, in[0].shape, reduced_axes(cx, in[0].shape, at.axis));
  return {{in[0].dtype, reduced_shape(cx, in[0].shape, at.axis, at.keepdims)}};
}

Tensors extremum_vjp(const ReduceAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor& x = cx.inputs[0];
  const Shape kept = reduced_shape(InferCtx{"reduce"}, x.shape(), at.axis, /*keepdims=*/true);
  const Tensor share = shares(at, cx, reshape(g[0], kept, cx.where));
  return {multiply_no_nan(spread(g[0], x, at.axis, cx.where), share, cx.where)};
}

Tensors extremum_jvp(const ReduceAttrs& at, const GradCtx& cx, TensorSpan t) {
  if (!t[0].defined()) return {Tensor()};
  return {
      sum(multiply_no_nan(t[0], shares(at, cx, t[0]), cx.where), at.axis, at.keepdims, cx.where)};
}

}  // namespace weft
