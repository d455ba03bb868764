// lstm.scan.vjp: the cotangents of lstm.scan, step by step backwards.
#include "weft/op/apply.h"
#include "weft/op/composed.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/recurrent/loop.h"
#include "weft/ops/recurrent/recurrent.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace recurrent {

LstmSlopes::LstmSlopes(const Tensor& inside, const Tensor& c, Where where) {
  const Tensors gates = gates_of(inside, 4, where);
  const Tensor i = sigmoid(gates[0], where), g = tanh(gates[2], where),
               o = sigmoid(gates[3], where);
  f = sigmoid(gates[1], where);
  const Tensor added = i * g, t = tanh(f * c + added, where);
  const Tensor to_g = i * (1.0 - square(g));
  const Tensor not_f = 1.0 - f, to_f = c * f * not_f;
  const Tensor not_i = 1.0 - i, to_i = g * i * not_i;
  cell_to_gates = concat(inputs(to_i, to_f, to_g), -1, where);
  const Tensor not_o = 1.0 - o;
  state_to_gate = t * o * not_o;
  state_to_cell = o * (1.0 - square(t));
}

}  // namespace recurrent

namespace {

using namespace recurrent;

// inside, c, weight, gh, gc, mask?
Types vjp_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape* const others[] = {&in[1].shape, &in[3].shape, &in[4].shape};
  require_backward(cx, in[0].shape, 4, in[2].shape, 4, others,
                   in.size() > 5 ? &in[5].shape : nullptr);
  const Type state{in[0].dtype, Shape{in[0].shape[1], in[2].shape[1]}};
  return {in[0], state, state};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan results) {
  const DType wide = compute_of(in[0].dtype());
  const Tensor inside = cast(in[0], wide), c = cast(in[1], wide), weight = cast(in[2], wide);
  const Tensor gh = cast(in[3], wide), gc = cast(in[4], wide);
  const Tensor da = output_in(wide, results[0]);
  const Tensor dh = zero_output_in(wide, results[1]), dc = zero_output_in(wide, results[2]);
  NativeLoop loop(kLstmStepVjp, gh, /*backwards=*/true);
  for (int64_t i = 0; i < 4; ++i) loop.at_time(da, i, 4);
  loop.always(dh);
  loop.always(dc);
  for (int64_t i = 0; i < 4; ++i) loop.at_time(inside, i, 4);
  loop.at_time(c);
  loop.at_time(gh);
  loop.at_time(gc);
  loop.always(dh);
  loop.always(dc);
  loop.mask(in.size() > 5 ? in[5] : Tensor());
  loop.multiply_behind(da, weight, dh);
  loop.run();
  store(results[0], da);
  store(results[1], dh);
  store(results[2], dc);
}

Tensors formula(const NoAttrs&, const GradCtx& cx, TensorSpan) {
  const Tensor &inside = cx.inputs[0], &c = cx.inputs[1], &weight = cx.inputs[2];
  const Tensor mask = cx.inputs.size() > 5 ? cx.inputs[5] : Tensor();
  const LstmSlopes slopes(inside, c, cx.where);
  const int64_t steps = c.dim(0).value();
  Tensor dh = zeros(Shape{c.dim(1), c.dim(2)}, c.dtype(), cx.where), dc = dh;
  Tensors by_gates(static_cast<size_t>(steps));
  const auto at = [&](const Tensor& all, int64_t t) { return at_time(all, t, cx.where); };
  for (int64_t t = steps; t-- > 0;) {
    dh = dh + at(cx.inputs[3], t);
    dc = dc + at(cx.inputs[4], t);
    const Tensor now = mask_at(mask, t, cx.where), cell = dc + dh * at(slopes.state_to_cell, t);
    const Tensor three = concat(inputs(cell, cell, cell), -1, cx.where);
    const Tensor of_state = dh * at(slopes.state_to_gate, t);
    const Tensor of_cell = three * at(slopes.cell_to_gates, t);
    const Tensor da = inside_only(now, concat(inputs(of_cell, of_state), -1, cx.where), cx.where);
    dc = masked(now, cell * at(slopes.f, t), dc, cx.where);
    const Tensor by_gates_now = matmul(da, weight, cx.where);
    dh = outside_only(now, dh, cx.where) + by_gates_now;
    by_gates[static_cast<size_t>(t)] = da;
  }
  return {over_time(by_gates, inside, cx.where), dh, dc};
}

Tensors joined(const NoAttrs& at, const BatchCtx& cx) {
  return batched(kLstmScanVjp, &at, cx, 0b000100, 0b111011);
}

}  // namespace

constinit const OpDef kLstmScanVjp{
    .name = "lstm.scan.vjp",
    .module = "nn",
    .doc =
        "From the cotangents `gh` and `gc` of lstm.scan's states and cells, the cells `c` before "
        "each step "
        "and what is `inside` the gates i, f, g and o, the cotangents of `x`, `h0` and `c0`: from "
        "the last step on, `dh = dh + gh[t]`, `dc = dc + gc[t] + dh * o * (1 - t^2)` with `t = "
        "tanh(f * c[t] + i * g)`, `da[t]` is `dc * g * i * (1 - i)`, `dc * c[t] * f * (1 - f)`, "
        "`dc * i * (1 - g^2)` and `dh * t * o * (1 - o)`, `dc = dc * f` and `dh = da[t] weight`; "
        "where `mask` is false `da[t]` is 0, and `dh` and `dc` stay. The order of summation is "
        "that of matmul.",
    .inputs = {"inside: floating", "c: like inside", "weight: like inside", "gh: like inside",
               "gc: like inside", "mask?: boolean"},
    .outputs = {"da: like inside", "dh: like inside", "dc: like inside"},
    .laws = kScanVjpLaws,
    .infer = rule<vjp_infer>(),
    .grad = derive::composed<formula>().except(5, "the mask is boolean"),
    .batch = batch::rule<joined>(),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
