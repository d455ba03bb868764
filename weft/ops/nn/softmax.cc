// softmax: exp(x) / sum(exp(x)) along an axis, without overflow.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/sum_of.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Types softmax_infer(const AxisAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.axis(at.axis, in[0].shape);
  return {in[0]};
}

void meaning(const Expr* in, Expr* out) {
  const Expr weight = exp(in[0] - row_max(in[0]));
  out[0] = weight / row_sum(weight);
}

// a * b, and 0 where b is 0: a row without a cotangent has no gradient, even if its softmax is NaN.
Expr carried(Expr a, Expr b) {
  const Expr zero = Expr::constant(a.dtype(), 0);
  return where(b == zero, zero, a * b);
}

// s * (g - sum(g * s)): symmetric, so the same map serves both directions.
void vjp_meaning(const Expr* in, Expr* out) {
  out[0] = carried(in[1], in[0] - row_sum(carried(in[1], in[0])));
}

Tensors vjp(const AxisAttrs& at, const GradCtx& cx, TensorSpan g) {
  return {apply(kSoftmaxVjp, inputs(g[0], cx.outputs[0]), at, cx.where)};
}

// The backward pass is an op of its own, so that it is one kernel and can be differentiated again.
Tensors backward_vjp(const AxisAttrs& at, const GradCtx& cx, TensorSpan u) {
  const Tensor &g = cx.inputs[0], &s = cx.inputs[1];
  const Ints axis{at.axis};
  const Tensor deviation = g - sum(multiply_no_nan(s, g), axis, true);
  const Tensor total = sum(multiply_no_nan(s, u[0]), axis, true);
  const Tensor by_g = apply(kSoftmaxVjp, inputs(u[0], s), at, cx.where);
  const Tensor common = multiply_no_nan(g, total);
  return {by_g, multiply_no_nan(deviation, u[0]) - common};
}
Tensors backward_jvp(const AxisAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Tensor &g = cx.inputs[0], &s = cx.inputs[1];
  const Ints axis{at.axis};
  Tensor out;
  if (t[0].defined()) out = apply(kSoftmaxVjp, inputs(t[0], s), at, cx.where);
  if (t[1].defined()) {
    const Tensor deviation = g - sum(multiply_no_nan(s, g), axis, true);
    const Tensor total = sum(multiply_no_nan(g, t[1]), axis, true);
    const Tensor common = multiply_no_nan(s, total);
    const Tensor term = multiply_no_nan(deviation, t[1]) - common;
    out = sum_of(out, term);
  }
  return {out};
}

}  // namespace

constinit const OpDef kSoftmax{
    .name = "softmax",
    .doc =
        "`exp(x) / sum(exp(x))` along `axis`, without overflow. A row that is all -inf, or that "
        "has a +inf, is NaN; its gradient is 0 where its cotangent is 0.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<AxisAttrs>(),
    .infer = rule<softmax_infer>(),
    .grad = derive::rules<vjp, vjp>().reading(0, true),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::row(1, 1, meaning),
    .known_as = {Alias{"torch", "softmax"}, Alias{"jax", "nn.softmax"}, Alias{"tf", "nn.softmax"},
                 Alias{
                     "scipy",
                     "special.softmax: without an axis it takes all elements, ours the last axis"}},
};

constinit const OpDef kSoftmaxVjp{
    .name = "softmax.vjp",
    .doc =
        "`s * (g - sum(g * s))` along `axis`: the cotangent of softmax from that of its output "
        "`s`. A product is 0 where the factor that comes from `g` is 0.",
    .inputs = {"g: floating", "s: like g"},
    .outputs = {"out: like g"},
    .attrs = attrs_type<AxisAttrs>(),
    .infer = rule<softmax_infer>(),
    .grad = derive::rules<backward_vjp, backward_jvp>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::row(2, 1, vjp_meaning),
};

Tensor softmax(const Tensor& x, int64_t axis, Where where) {
  return apply(kSoftmax, inputs(x), AxisAttrs{axis}, where);
}

}  // namespace weft
