// log_softmax: log(softmax(x)) along an axis, without overflow or loss.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/sum_of.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Types same_along_axis(const AxisAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.axis(at.axis, in[0].shape);
  return {in[0]};
}

void meaning(const Expr* in, Expr* out) {
  const Expr shifted = in[0] - row_max(in[0]);
  out[0] = shifted - log(row_sum(exp(shifted)));
}

// g - softmax * sum(g), of the cotangent and the output; 0 where g and its sum are, even if the row
// is NaN.
void vjp_meaning(const Expr* in, Expr* out) {
  const Expr total = row_sum(in[0]), zero = Expr::constant(in[0].dtype(), 0);
  const Expr all = in[0] - exp(in[1]) * total;
  out[0] = where((in[0] == zero) & (total == zero), zero, all);
}

Tensors vjp(const AxisAttrs& at, const GradCtx& cx, TensorSpan g) {
  return {apply(kLogSoftmaxVjp, inputs(g[0], cx.outputs[0]), at, cx.where)};
}
Tensors jvp(const AxisAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Tensor share = multiply_no_nan(exp(cx.outputs[0], cx.where), t[0], cx.where);
  return {t[0] - sum(share, Ints{at.axis}, true, cx.where)};
}

// The backward pass is an op of its own, so that it is one kernel and can be differentiated again.
Tensors backward_vjp(const AxisAttrs& at, const GradCtx& cx, TensorSpan u) {
  const Ints axis{at.axis};
  const Tensor total = sum(cx.inputs[0], axis, true, cx.where);
  const Tensor s = exp(cx.inputs[1], cx.where);
  const Tensor share = multiply_no_nan(s, u[0], cx.where);
  return {u[0] - sum(share, axis, true, cx.where),
          multiply_no_nan(multiply_no_nan(-s, total, cx.where), u[0], cx.where)};
}
Tensors backward_jvp(const AxisAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Ints axis{at.axis};
  Tensor out;
  if (t[0].defined()) out = apply(kLogSoftmaxVjp, inputs(t[0], cx.inputs[1]), at, cx.where);
  if (t[1].defined()) {
    const Tensor total = sum(cx.inputs[0], axis, true, cx.where);
    const Tensor slope = multiply_no_nan(-exp(cx.inputs[1], cx.where), total, cx.where);
    const Tensor term = multiply_no_nan(slope, t[1], cx.where);
    out = sum_of(out, term);
  }
  return {out};
}

}  // namespace

constinit const OpDef kLogSoftmax{
    .name = "log_softmax",
    .doc =
        "`x - log(sum(exp(x)))` along `axis`: the logarithm of `softmax`, without overflow and "
        "without the loss of taking it afterwards. A row that is all -inf, or that has a +inf, "
        "is NaN; its gradient is 0 if its cotangent is 0.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<AxisAttrs>(),
    .infer = rule<same_along_axis>(),
    .grad = derive::rules<vjp, jvp>().reading(0, true),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::row(1, 1, meaning),
    .known_as =
        {Alias{"torch", "log_softmax"}, Alias{"jax", "nn.log_softmax"},
         Alias{"tf", "nn.log_softmax"},
         Alias{"scipy",
               "special.log_softmax: without an axis it takes all elements, ours the last axis"}},
};

constinit const OpDef kLogSoftmaxVjp{
    .name = "log_softmax.vjp",
    .doc =
        "`g - exp(out) * sum(g)` along `axis`: the cotangent of log_softmax from that of its "
        "output `out`.",
    .inputs = {"g: floating", "out: like g"},
    .outputs = {"cotangent: like g"},
    .attrs = attrs_type<AxisAttrs>(),
    .infer = rule<same_along_axis>(),
    .grad = derive::rules<backward_vjp, backward_jvp>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::row(2, 1, vjp_meaning),
};

Tensor log_softmax(const Tensor& x, int64_t axis, Where where) {
  return apply(kLogSoftmax, inputs(x), AxisAttrs{axis}, where);
}

}  // namespace weft
