// gru.scan: gated recurrent units over a sequence of projected inputs.
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

// x, weight, bias, h0, mask?
Types scan_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape &x = in[0].shape, &weight = in[1].shape;
  const Shape* const states[] = {&in[3].shape};
  require_shapes(cx, x, weight, states, in.size() > 4 ? &in[4].shape : nullptr, 3);
  const Shape one{weight[1]};
  cx.require(same(in[2].shape, one) != Tri::kNo, "shape", "bias has shape ", in[2].shape,
             "; it must be ", one);
  return {{in[0].dtype, Shape{x[0], x[1], weight[1]}},
          {in[0].dtype, Shape{x[0], x[1], weight[1] * 4}}};
}

// Half floats are computed with in float32.
void run(const NoAttrs&, TensorSpan in, TensorSpan results) {
  const DType wide = compute_of(in[0].dtype());
  const Tensor x = cast(in[0], wide), weight = cast(in[1], wide), bias = cast(in[2], wide);
  const Tensor h0 = cast(in[3], wide), hs = output_in(wide, results[0]);
  const Tensor inside = output_in(wide, results[1]);
  NativeLoop loop(kGruStep, hs);
  loop.copy(x, 0, 2, inside, 0);
  loop.copy(bias, 0, 1, inside, 2);
  loop.copy(x, 2, 1, inside, 3);
  loop.multiply_before(h0, hs, weight, inside);
  loop.at_time(hs);
  for (int64_t i = 0; i < 4; ++i) loop.at_time(inside, i, 4);
  loop.before(h0, hs);
  loop.mask(in.size() > 4 ? in[4] : Tensor());
  loop.run();
  store(results[0], hs);
  store(results[1], inside);
}

Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor& weight = cx.inputs[1];
  const Tensor h = shifted(cx.inputs[3], cx.outputs[0], cx.where);
  // The cotangent of `inside` is one of x and u as it is, and through u of the states before.
  Tensor by_x, by_u;
  if (g[1].defined()) {
    const Tensors parts = gates_of(g[1], 4, cx.where);
    by_u = concat(inputs(parts[0], parts[1], parts[2]), -1, cx.where);
    by_x = concat(inputs(parts[0], parts[1], parts[3]), -1, cx.where);
  }
  const ByStates more(by_u, weight, or_zeros(g[0], h, cx.where), cx.where);
  Tensors in{cx.outputs[1], h, weight, more.g};
  const bool has_mask = cx.inputs.size() > 4;
  if (has_mask) in.push_back(cx.inputs[4]);
  const Tensors d = apply_all(kGruScanVjp, in, kNoAttrs, cx.where);
  const Tensor dx = sum_of(d[0], by_x), du = sum_of(d[1], by_u);
  const Tensor dn = gates_of(du, 3, cx.where)[2];
  Tensors out{dx, weight_gradient(du, h, cx.where), sum(dn, Ints{0, 1}, false, cx.where),
              sum_of(d[2], more.first)};
  if (has_mask) out.push_back(Tensor());
  return out;
}

Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Tensor &weight = cx.inputs[1], &h0 = cx.inputs[3];
  const Tensor mask = cx.inputs.size() > 4 ? cx.inputs[4] : Tensor();
  const Tensor before = shifted(h0, cx.outputs[0], cx.where);
  const GruSlopes slopes(cx.outputs[1], before, cx.where);
  const Tensor given = or_zeros(t[0], cx.inputs[0], cx.where);
  Tensor own = or_zeros(Tensor(), cx.inputs[0], cx.where);
  if (t[1].defined()) own = own + times_transposed(before, t[1], cx.where);
  const Tensor bias = or_zeros(t[2], cx.inputs[2], cx.where);
  Tensor h = or_zeros(t[3], h0, cx.where);
  Tensors hs, all;
  const auto at = [&](const Tensor& x, int64_t i) { return at_time(x, i, cx.where); };
  for (int64_t i = 0; i < given.dim(0).value(); ++i) {
    const Tensors x = gates_of(at(given, i), 3, cx.where);
    const Tensor by_h = times_transposed(h, weight, cx.where);
    const Tensors u = gates_of(at(own, i) + by_h, 3, cx.where);
    const Tensor r = x[0] + u[0], z = x[1] + u[1], part = u[2] + bias;
    const Tensor by_r = r * at(slopes.to_r, i), by_part = part * at(slopes.r, i);
    const Tensor n = x[2] + by_part + by_r;
    const Tensor kept = h * at(slopes.z, i), by_z = z * at(slopes.to_z, i);
    const Tensor now = n * at(slopes.to_n, i) + by_z + kept;
    h = masked(mask_at(mask, i, cx.where), now, h, cx.where);
    hs.push_back(h);
    all.push_back(concat(inputs(r, z, part, x[2]), -1, cx.where));
  }
  return {over_time(hs, Tensor(), cx.where), over_time(all, Tensor(), cx.where)};
}

Tensors joined(const NoAttrs& at, const BatchCtx& cx) {
  return batched(kGruScan, &at, cx, 0b00110, 0b10001);
}

}  // namespace

constinit const OpDef kGruScan{
    .name = "gru.scan",
    .module = "nn",
    .doc =
        "With `u = h[t - 1] weight^T` and x[t] in three parts: `r = sigmoid(x0 + u0)`, `z = "
        "sigmoid(x1 + u1)`, `n = tanh(x2 + r * (u2 + bias))` and `h[t] = (1 - z) * n + z * h[t - "
        "1]`, from `h0` on, for `x` [time, batch, 3 * size] that is projected already, with the "
        "biases of r and z; where `mask` is false the state stays. `inside` is `x0 + u0`, `x1 + "
        "u1`, `u2 + bias` and x2 of each step, which derivatives are made of. The order of "
        "summation is that of matmul, behind x and the bias. nn.gru is the one to call.",
    .inputs = {"x: floating", "weight: like x", "bias: like x", "h0: like x", "mask?: boolean"},
    .outputs = {"h: like x", "inside: like x"},
    .laws = {Law{"rank", "`x` has time, batch and gates, `weight` is a matrix"},
             Law{"shape", "gates, states, bias and mask have the sizes of each other"}},
    .infer = rule<scan_infer>(),
    .grad = derive::rules<vjp, jvp>().except(4, "the mask is boolean").reading(0b11010, true),
    .batch = batch::rule<joined>(),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
