// lstm.step, lstm.step.vjp: what a step of lstm.scan does beside the product, forwards and
// backwards.
#include "weft/op/apply.h"
#include "weft/ops/recurrent/recurrent.h"

namespace weft {
namespace {

// What is inside the gates i, f, g and o; h, c, mask
void meaning(const Expr* in, Expr* out) {
  const Expr i = sigmoid(in[0]), f = sigmoid(in[1]), g = tanh(in[2]), c = f * in[5] + i * g;
  out[0] = where(in[6], sigmoid(in[3]) * tanh(c), in[4]);
  out[1] = where(in[6], c, in[5]);
}

// What is inside the gates i, f, g and o; c, gh, gc, dh, dc, mask
void vjp_meaning(const Expr* in, Expr* out) {
  const Expr i = sigmoid(in[0]), f = sigmoid(in[1]), g = tanh(in[2]), o = sigmoid(in[3]);
  const Expr t = tanh(f * in[4] + i * g), mask = in[9], zero = Expr(0.0);
  const Expr dh = in[7] + in[5], dc = in[8] + in[6];
  const Expr cell = dc + dh * (o * (1 - square(t)));
  out[0] = where(mask, cell * (g * i * (1 - i)), zero);
  out[1] = where(mask, cell * (in[4] * f * (1 - f)), zero);
  out[2] = where(mask, cell * (i * (1 - square(g))), zero);
  out[3] = where(mask, dh * (t * o * (1 - o)), zero);
  out[4] = where(mask, zero, dh);
  out[5] = where(mask, cell * f, dc);
}

Types step_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  return recurrent::step_types(cx, in, 2);
}
Types vjp_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  return recurrent::step_types(cx, in, 6);
}

}  // namespace

constinit const OpDef kLstmStep{
    .name = "lstm.step",
    .module = "nn",
    .doc =
        "A step of lstm.scan: the state and the cell from what is inside the gates i, f, g and o, "
        "and from the state and the cell before, which stay where `mask`, one value a row, is "
        "false.",
    .inputs = {"i: floating", "f, g, o, h, c: like i", "mask: boolean"},
    .outputs = {"h: like i", "c: like i"},
    .laws = recurrent::kStepLaws,
    .infer = rule<step_infer>(),
    .grad = derive::missing("it is a step of nn.lstm, which is differentiated as one"),
    .batch = batch::same_shape(),
    .kernel = kernel::row(7, 2, meaning, 1u << 6),
};

constinit const OpDef kLstmStepVjp{
    .name = "lstm.step.vjp",
    .module = "nn",
    .doc =
        "A step of lstm.scan.vjp: from what is inside the gates i, f, g and o, the cell before the "
        "step, the cotangents gh and gc of its results and those, dh and dc, that later steps "
        "left: the cotangents of the gates' insides, and of state and cell before, but for what "
        "reaches the state through the gates. Where `mask`, one value a row, is false they pass.",
    .inputs = {"i: floating", "f, g, o, c, gh, gc, dh, dc: like i", "mask: boolean"},
    .outputs = {"di, df, dg, do, dh, dc: like i"},
    .laws = recurrent::kStepLaws,
    .infer = rule<vjp_infer>(),
    .grad = derive::missing("it is a step of nn.lstm, which is differentiated as one"),
    .batch = batch::same_shape(),
    .kernel = kernel::row(10, 6, vjp_meaning, 1u << 9),
};

}  // namespace weft
