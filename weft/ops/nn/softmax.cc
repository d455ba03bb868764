// softmax: exp(x) / sum(exp(x)) along an axis, without overflow.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
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

// s * (g - sum(g * s)): symmetric, so the same map serves both directions.
void vjp_meaning(const Expr* in, Expr* out) { out[0] = in[1] * (in[0] - row_sum(in[0] * in[1])); }

Tensors vjp(const AxisAttrs& at, const GradCtx& cx, TensorSpan g) {
  return {apply(kSoftmaxVjp, inputs(g[0], cx.outputs[0]), at, cx.where)};
}

// The backward pass is an op of its own, so that it is one kernel and can be differentiated again.
Tensors backward_vjp(const AxisAttrs& at, const GradCtx& cx, TensorSpan u) {
  const Tensor &g = cx.inputs[0], &s = cx.inputs[1];
  const Ints axis{at.axis};
  return {apply(kSoftmaxVjp, inputs(u[0], s), at, cx.where),
          u[0] * (g - sum(g * s, axis, true)) - g * sum(u[0] * s, axis, true)};
}
Tensors backward_jvp(const AxisAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Tensor &g = cx.inputs[0], &s = cx.inputs[1];
  const Ints axis{at.axis};
  Tensor out;
  if (t[0].defined()) out = apply(kSoftmaxVjp, inputs(t[0], s), at, cx.where);
  if (t[1].defined()) {
    const Tensor term = t[1] * (g - sum(g * s, axis, true)) - s * sum(g * t[1], axis, true);
    out = out.defined() ? out + term : term;
  }
  return {out};
}

}  // namespace

constinit const OpDef kSoftmax{
    .name = "softmax",
    .doc = "`exp(x) / sum(exp(x))` along `axis`, without overflow.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<AxisAttrs>(),
    .infer = rule<softmax_infer>(),
    .grad = derive::rules<vjp, vjp>().reading(0, true),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::row(1, 1, meaning),
    .known_as = {Alias{"torch", "softmax"}, Alias{"jax", "nn.softmax"}, Alias{"tf", "nn.softmax"},
                 Alias{"scipy", "special.softmax"}},
};

constinit const OpDef kSoftmaxVjp{
    .name = "softmax.vjp",
    .doc =
        "`s * (g - sum(g * s))` along `axis`: the cotangent of softmax from that of its output "
        "`s`.",
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
