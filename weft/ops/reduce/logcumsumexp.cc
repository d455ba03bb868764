// logcumsumexp: running log(sum(exp(x))) along an axis, without overflow.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// a - b, but 0 for equal infinities, where inf - inf would be NaN.
template <class T>
T gap(const T& a, const T& b) {
  const T difference = a - b;
  return where(a == b, scalar_like(a, 0.0), difference);
}

Expr combine(Expr a, Expr b) { return maximum(a, b) + log1p(exp(-abs(gap(a, b)))); }

// d out[i] / d x[i] = exp(x[i] - out[i]): nothing where out is -inf.
Tensor weights(const GradCtx& cx) {
  const Tensor &x = cx.inputs[0], &out = cx.outputs[0];
  const Tensor nothing = out == scalar_like(out, -__builtin_inf());
  return where(nothing, scalar_like(out, 0), exp(gap(x, out)));
}

// d out[i] / d out[i - 1], 0 for the first. Where out is NaN the weights say so.
Tensor factors(const GradCtx& cx, int64_t axis) {
  const Tensor& out = cx.outputs[0];
  const Tensor before = shifted_in(out, -__builtin_inf(), axis, /*keep_last=*/false, cx.where);
  const Tensor factor = exp(gap(before, out));
  return where(isnan(factor), scalar_like(out, 1), factor);
}

// dx[k] = w[k] * s[k] with s[k] = g[k] + f[k + 1] * s[k + 1]: a recurrence from the end, whose
// factors are at most 1.
Tensors vjp(const ScanAttrs& at, const GradCtx& cx, TensorSpan g) {
  const int64_t axis = normalized(at.axis, g[0].rank());
  if (g[0].dim(axis) == Dim(0)) return {g[0]};
  const Ints along{axis};
  const Tensor back = shifted_in(flip(factors(cx, axis), along, cx.where), 0, axis,
                                 /*keep_last=*/false, cx.where);
  const Tensor from_end = linear_recurrence(back, flip(g[0], along, cx.where), axis, cx.where);
  const Tensor sums = flip(from_end, along, cx.where);
  return {multiply_no_nan(weights(cx), sums, cx.where)};
}

Tensors jvp(const ScanAttrs& at, const GradCtx& cx, TensorSpan t) {
  if (!t[0].defined()) return {Tensor()};
  const int64_t axis = normalized(at.axis, t[0].rank());
  if (t[0].dim(axis) == Dim(0)) return {t[0]};
  const Tensor added = multiply_no_nan(weights(cx), t[0], cx.where);
  return {linear_recurrence(factors(cx, axis), added, axis, cx.where)};
}

}  // namespace

constinit const OpDef kLogcumsumexp{
    .name = "logcumsumexp",
    .doc =
        "Running `log(sum(exp(x)))` along `axis`, without overflow: `out[i] = logaddexp(out[i - "
        "1], x[i])` within blocks of 512, and then `logaddexp` with the total of the blocks "
        "before. "
        "Totals of float32 are kept in float64. Where all elements so far are -inf it is -inf, "
        "with gradient 0.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ScanAttrs>(),
    .infer = rule<scan_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::scan(combine, -__builtin_inf()),
    .known_as = {Alias{"numpy", "logaddexp.accumulate"}, Alias{"torch", "logcumsumexp"},
                 Alias{"jax", "lax.cumlogsumexp"}, Alias{"tf", "math.cumulative_logsumexp"}},
};

Tensor logcumsumexp(const Tensor& x, int64_t axis, Where where) {
  return apply(kLogcumsumexp, inputs(x), ScanAttrs{axis}, where);
}

}  // namespace weft
