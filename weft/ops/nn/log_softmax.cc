// log_softmax: log(softmax(x)) along an axis, without overflow or loss.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
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

// g - softmax * sum(g), of the cotangent and the output.
void vjp_meaning(const Expr* in, Expr* out) { out[0] = in[0] - exp(in[1]) * row_sum(in[0]); }

Tensors vjp(const AxisAttrs& at, const GradCtx& cx, TensorSpan g) {
  return {apply(kLogSoftmaxVjp, inputs(g[0], cx.outputs[0]), at, cx.where)};
}
Tensors jvp(const AxisAttrs& at, const GradCtx& cx, TensorSpan t) {
  return {t[0] - sum(exp(cx.outputs[0], cx.where) * t[0], Ints{at.axis}, true, cx.where)};
}

// The backward pass is an op of its own, so that it is one kernel and can be differentiated again.
Tensors backward_vjp(const AxisAttrs& at, const GradCtx& cx, TensorSpan u) {
  const Ints axis{at.axis};
  const Tensor s = exp(cx.inputs[1], cx.where), us = u[0] * s;
  return {u[0] - sum(us, axis, true, cx.where), -us * sum(cx.inputs[0], axis, true, cx.where)};
}
Tensors backward_jvp(const AxisAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Ints axis{at.axis};
  Tensor out;
  if (t[0].defined()) out = apply(kLogSoftmaxVjp, inputs(t[0], cx.inputs[1]), at, cx.where);
  if (t[1].defined()) {
    const Tensor s = exp(cx.inputs[1], cx.where);
    const Tensor term = -(s * t[1]) * sum(cx.inputs[0], axis, true, cx.where);
    out = out.defined() ? out + term : term;
  }
  return {out};
}

}  // namespace

constinit const OpDef kLogSoftmax{
    .name = "log_softmax",
    .doc =
        "`x - log(sum(exp(x)))` along `axis`: the logarithm of `softmax`, without overflow and "
        "without the loss of taking it afterwards. A row that is all -inf, or that has a +inf, "
        "is NaN.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<AxisAttrs>(),
    .infer = rule<same_along_axis>(),
    .grad = derive::rules<vjp, jvp>().reading(0, true),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::row(1, 1, meaning),
    .known_as = {Alias{"torch", "log_softmax"}, Alias{"jax", "nn.log_softmax"},
                 Alias{"tf", "nn.log_softmax"}, Alias{"scipy", "special.log_softmax"}},
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
