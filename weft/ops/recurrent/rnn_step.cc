// rnn.tanh_step, rnn.relu_step, rnn.step.vjp: what a step of rnn.scan does beside the product,
// forwards and backwards.
#include "weft/op/apply.h"
#include "weft/ops/recurrent/recurrent.h"

namespace weft {
namespace {

// a, h, mask
void tanh_meaning(const Expr* in, Expr* out) { out[0] = where(in[2], tanh(in[0]), in[1]); }
void relu_meaning(const Expr* in, Expr* out) { out[0] = where(in[2], maximum(in[0], 0), in[1]); }

// slope, g, dh, mask
void vjp_meaning(const Expr* in, Expr* out) {
  const Expr dh = in[2] + in[1], mask = in[3], zero = Expr(0.0);
  out[0] = where(mask, dh * in[0], zero);
  out[1] = where(mask, zero, dh);
}

Types step_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  return recurrent::step_types(cx, in, 1);
}
Types vjp_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  return recurrent::step_types(cx, in, 2);
}

constexpr std::string_view kWhy = "it is a step of nn.rnn_tanh, which is differentiated as one";

}  // namespace

constinit const OpDef kRnnTanhStep{
    .name = "rnn.tanh_step",
    .module = "nn",
    .doc =
        "A step of rnn.scan: `tanh(a)`, or the state `h` before where `mask`, one value a row, "
        "is false.",
    .inputs = {"a: floating", "h: like a", "mask: boolean"},
    .outputs = {"h: like a"},
    .laws = recurrent::kStepLaws,
    .infer = rule<step_infer>(),
    .grad = derive::missing(kWhy),
    .batch = batch::same_shape(),
    .kernel = kernel::row(3, 1, tanh_meaning, 1u << 2),
};

constinit const OpDef kRnnReluStep{
    .name = "rnn.relu_step",
    .module = "nn",
    .doc =
        "A step of rnn.scan: `relu(a)`, or the state `h` before where `mask`, one value a row, "
        "is false.",
    .inputs = {"a: floating", "h: like a", "mask: boolean"},
    .outputs = {"h: like a"},
    .laws = recurrent::kStepLaws,
    .infer = rule<step_infer>(),
    .grad = derive::missing(kWhy),
    .batch = batch::same_shape(),
    .kernel = kernel::row(3, 1, relu_meaning, 1u << 2),
};

constinit const OpDef kRnnStepVjp{
    .name = "rnn.step.vjp",
    .module = "nn",
    .doc =
        "A step of rnn.scan.vjp: `(dh + g) * slope`, and 0 for the state before; where `mask`, one "
        "value a row, is false, 0 and `dh + g`.",
    .inputs = {"slope: floating", "g: like slope", "dh: like slope", "mask: boolean"},
    .outputs = {"da: like slope", "dh: like slope"},
    .laws = recurrent::kStepLaws,
    .infer = rule<vjp_infer>(),
    .grad = derive::missing(kWhy),
    .batch = batch::same_shape(),
    .kernel = kernel::row(4, 2, vjp_meaning, 1u << 3),
};

}  // namespace weft
