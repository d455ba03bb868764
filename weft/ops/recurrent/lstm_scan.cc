// lstm.scan: long short-term memory over a sequence of projected inputs.
#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/sum_of.h"
#include "weft/ops/recurrent/loop.h"
#include "weft/ops/recurrent/recurrent.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

using namespace recurrent;

// x, weight, h0, c0, mask?
Types scan_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape* const states[] = {&in[2].shape, &in[3].shape};
  require_shapes(cx, in[0].shape, in[1].shape, states, in.size() > 4 ? &in[4].shape : nullptr, 4);
  const Type out{in[0].dtype, Shape{in[0].shape[0], in[0].shape[1], in[1].shape[1]}};
  return {out, out, in[0]};
}

// Half floats are computed with in float32.
void run(const NoAttrs&, TensorSpan in, TensorSpan results) {
  const DType wide = compute_of(in[0].dtype());
  const Tensor x = cast(in[0], wide), weight = cast(in[1], wide);
  const Tensor h0 = cast(in[2], wide), c0 = cast(in[3], wide);
  const Tensor hs = output_in(wide, results[0]), cs = output_in(wide, results[1]);
  const Tensor inside = output_in(wide, results[2]);
  NativeLoop loop(kLstmStep, hs);
  loop.multiply_before(h0, hs, weight, inside);
  loop.add_product_to(x);
  loop.at_time(hs);
  loop.at_time(cs);
  for (int64_t i = 0; i < 4; ++i) loop.at_time(inside, i, 4);
  loop.before(h0, hs);
  loop.before(c0, cs);
  loop.mask(in.size() > 4 ? in[4] : Tensor());
  loop.run();
  store(results[0], hs);
  store(results[1], cs);
  store(results[2], inside);
}

Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor& weight = cx.inputs[1];
  const Tensor h = shifted(cx.inputs[2], cx.outputs[0], cx.where);
  const Tensor c = shifted(cx.inputs[3], cx.outputs[1], cx.where);
  // The cotangent of `inside` is one of x as it is, and through the product of the states before.
  const ByStates more(g[2], weight, or_zeros(g[0], h, cx.where), cx.where);
  Tensors in{cx.outputs[2], c, weight, more.g, or_zeros(g[1], c, cx.where)};
  const bool has_mask = cx.inputs.size() > 4;
  if (has_mask) in.push_back(cx.inputs[4]);
  const Tensors d = apply_all(kLstmScanVjp, in, kNoAttrs, cx.where);
  const Tensor da = sum_of(d[0], g[2]);
  Tensors out{da, weight_gradient(da, h, cx.where), sum_of(d[1], more.first), d[2]};
  if (has_mask) out.push_back(Tensor());
  return out;
}

Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Tensor &weight = cx.inputs[1], &h0 = cx.inputs[2], &c0 = cx.inputs[3];
  const Tensor mask = cx.inputs.size() > 4 ? cx.inputs[4] : Tensor();
  const Tensor before = shifted(h0, cx.outputs[0], cx.where);
  const LstmSlopes slopes(cx.outputs[2], shifted(c0, cx.outputs[1], cx.where), cx.where);
  Tensor change = or_zeros(t[0], cx.inputs[0], cx.where);
  if (t[1].defined()) change = change + times_transposed(before, t[1], cx.where);
  Tensor h = or_zeros(t[2], h0, cx.where), c = or_zeros(t[3], c0, cx.where);
  Tensors hs, cs, all;
  const auto at = [&](const Tensor& x, int64_t i) { return at_time(x, i, cx.where); };
  for (int64_t i = 0; i < change.dim(0).value(); ++i) {
    const Tensor by_h = times_transposed(h, weight, cx.where);
    all.push_back(at(change, i) + by_h);
    const Tensors inside = gates_of(all.back(), 4, cx.where);
    const Tensors by = gates_of(at(slopes.cell_to_gates, i), 3, cx.where);
    const Tensor by_2 = inside[2] * by[2], by_1 = inside[1] * by[1], by_0 = inside[0] * by[0];
    const Tensor cell = c * at(slopes.f, i) + by_0 + by_1 + by_2;
    const Tensor by_cell = cell * at(slopes.state_to_cell, i);
    const Tensor state = inside[3] * at(slopes.state_to_gate, i) + by_cell;
    const Tensor now = mask_at(mask, i, cx.where);
    h = masked(now, state, h, cx.where);
    c = masked(now, cell, c, cx.where);
    hs.push_back(h), cs.push_back(c);
  }
  const auto joined = [&](const Tensors& steps) { return over_time(steps, Tensor(), cx.where); };
  return {joined(hs), joined(cs), joined(all)};
}

Tensors joined(const NoAttrs& at, const BatchCtx& cx) {
  return batched(kLstmScan, &at, cx, 0b00010, 0b10001);
}

}  // namespace

constinit const OpDef kLstmScan{
    .name = "lstm.scan",
    .module = "nn",
    .doc =
        "With `a = x[t] + h[t - 1] weight^T` in four parts: `c[t] = sigmoid(a1) * c[t - 1] + "
        "sigmoid(a0) * tanh(a2)` and `h[t] = sigmoid(a3) * tanh(c[t])`, from `h0` and `c0` on, for "
        "`x` [time, batch, 4 * size] that is projected already; where `mask` is false the state "
        "stays. `inside` is `a` of each step, which derivatives are made of. The order of "
        "summation "
        "is that of matmul, behind x. nn.lstm is the one to call.",
    .inputs = {"x: floating", "weight: like x", "h0: like x", "c0: like x", "mask?: boolean"},
    .outputs = {"h: like x", "c: like x", "inside: like x"},
    .laws = {Law{"rank", "`x` has time, batch and gates, `weight` is a matrix"},
             Law{"shape", "gates, states and mask have the sizes of each other"}},
    .infer = rule<scan_infer>(),
    .grad = derive::rules<vjp, jvp>().except(4, "the mask is boolean").reading(0b11110, true),
    .batch = batch::rule<joined>(),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
