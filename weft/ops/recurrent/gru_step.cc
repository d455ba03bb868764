// gru.step, gru.step.vjp: what a step of gru.scan does beside the product, forwards and backwards.
#include "weft/op/apply.h"
#include "weft/ops/recurrent/recurrent.h"

namespace weft {
namespace {

// What is inside r and z, the state's and the input's parts of n; h, mask
void meaning(const Expr* in, Expr* out) {
  const Expr r = sigmoid(in[0]), z = sigmoid(in[1]), n = tanh(in[3] + r * in[2]);
  out[0] = where(in[5], (1 - z) * n + z * in[4], in[4]);
}

// What is inside r and z, the state's and the input's parts of n; h, g, dh, mask
void vjp_meaning(const Expr* in, Expr* out) {
  const Expr r = sigmoid(in[0]), z = sigmoid(in[1]), n = tanh(in[3] + r * in[2]);
  const Expr h = in[4], mask = in[7], zero = Expr(0.0);
  const Expr dh = in[6] + in[5], dn = dh * ((1 - z) * (1 - square(n)));
  out[0] = where(mask, dn * (in[2] * r * (1 - r)), zero);
  out[1] = where(mask, dh * ((h - n) * z * (1 - z)), zero);
  out[2] = where(mask, dn, zero);
  out[3] = out[0];
  out[4] = out[1];
  out[5] = where(mask, dn * r, zero);
  out[6] = where(mask, dh * z, dh);
}

Types step_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  return recurrent::step_types(cx, in, 1);
}
Types vjp_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  return recurrent::step_types(cx, in, 7);
}

}  // namespace

constinit const OpDef kGruStep{
    .name = "gru.step",
    .module = "nn",
    .doc =
        "A step of gru.scan: the state from what is inside the gates r and z, the state's part `u` "
        "and the input's part `x` of n, and the state before, which stays where `mask`, one value "
        "a row, is false.",
    .inputs = {"r: floating", "z, u, x, h: like r", "mask: boolean"},
    .outputs = {"h: like r"},
    .laws = recurrent::kStepLaws,
    .infer = rule<step_infer>(),
    .grad = derive::missing("it is a step of nn.gru, which is differentiated as one"),
    .batch = batch::same_shape(),
    .kernel = kernel::row(6, 1, meaning, 1u << 5),
};

constinit const OpDef kGruStepVjp{
    .name = "gru.step.vjp",
    .module = "nn",
    .doc =
        "A step of gru.scan.vjp: from what is inside the gates r and z, the state's and the "
        "input's parts of n, the state before the step, the cotangent `g` of its result and that, "
        "`dh`, that later steps left: the cotangents of the input's and of the state's parts of "
        "the gates, and of the state before, but for what reaches it through the gates. Where "
        "`mask`, one value a row, is false it passes.",
    .inputs = {"r: floating", "z, u, x, h, g, dh: like r", "mask: boolean"},
    .outputs = {"dx0, dx1, dx2, du0, du1, du2, dh: like r"},
    .laws = recurrent::kStepLaws,
    .infer = rule<vjp_infer>(),
    .grad = derive::missing("it is a step of nn.gru, which is differentiated as one"),
    .batch = batch::same_shape(),
    .kernel = kernel::row(8, 7, vjp_meaning, 1u << 7),
};

}  // namespace weft
