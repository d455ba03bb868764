// gru.scan.vjp: the cotangents of gru.scan, step by step backwards.
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

GruSlopes::GruSlopes(const Tensor& inside, const Tensor& h, Where where) {
  const Tensors part = gates_of(inside, 4, where);
  r = sigmoid(part[0], where), z = sigmoid(part[1], where);
  const Tensor n = tanh(part[3] + r * part[2], where);
  const Tensor slope = 1.0 - square(n);
  to_n = (1.0 - z) * slope;
  const Tensor not_z = 1.0 - z;
  to_z = (h - n) * z * not_z;
  const Tensor not_r = 1.0 - r;
  to_r = part[2] * r * not_r;
}

}  // namespace recurrent

namespace {

using namespace recurrent;

// inside, h, weight, g, mask?
Types vjp_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape &inside = in[0].shape, &weight = in[2].shape;
  const Shape* const others[] = {&in[1].shape, &in[3].shape};
  require_backward(cx, inside, 4, weight, 3, others, in.size() > 4 ? &in[4].shape : nullptr);
  const Type gates{in[0].dtype, Shape{inside[0], inside[1], weight[0]}};
  return {gates, gates, {in[0].dtype, Shape{inside[1], weight[1]}}};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan results) {
  const DType wide = compute_of(in[0].dtype());
  const Tensor inside = cast(in[0], wide), h = cast(in[1], wide), weight = cast(in[2], wide);
  const Tensor g = cast(in[3], wide), dh = zero_output_in(wide, results[2]);
  const Tensor dx = output_in(wide, results[0]), du = output_in(wide, results[1]);
  NativeLoop loop(kGruStepVjp, g, /*backwards=*/true);
  for (int64_t i = 0; i < 3; ++i) loop.at_time(dx, i, 3);
  for (int64_t i = 0; i < 3; ++i) loop.at_time(du, i, 3);
  loop.always(dh);
  for (int64_t i = 0; i < 4; ++i) loop.at_time(inside, i, 4);
  loop.at_time(h);
  loop.at_time(g);
  loop.always(dh);
  loop.mask(in.size() > 4 ? in[4] : Tensor());
  loop.multiply_behind(du, weight, dh);
  loop.run();
  store(results[0], dx);
  store(results[1], du);
  store(results[2], dh);
}

Tensors formula(const NoAttrs&, const GradCtx& cx, TensorSpan) {
  const Tensor &h = cx.inputs[1], &weight = cx.inputs[2], &g = cx.inputs[3];
  const Tensor mask = cx.inputs.size() > 4 ? cx.inputs[4] : Tensor();
  const GruSlopes slopes(cx.inputs[0], h, cx.where);
  const int64_t steps = h.dim(0).value();
  Tensor dh = zeros(Shape{h.dim(1), h.dim(2)}, h.dtype(), cx.where);
  Tensors by_x(static_cast<size_t>(steps)), by_h(static_cast<size_t>(steps));
  const auto at = [&](const Tensor& all, int64_t t) { return at_time(all, t, cx.where); };
  for (int64_t t = steps; t-- > 0;) {
    dh = dh + at(g, t);
    const Tensor now = mask_at(mask, t, cx.where), dn = dh * at(slopes.to_n, t);
    const Tensor dz = dh * at(slopes.to_z, t), dr = dn * at(slopes.to_r, t);
    const Tensor du =
        inside_only(now, concat(inputs(dr, dz, dn * at(slopes.r, t)), -1, cx.where), cx.where);
    const Tensor by_u = matmul(du, weight, cx.where);
    dh = masked(now, dh * at(slopes.z, t), dh, cx.where) + by_u;
    by_x[static_cast<size_t>(t)] =
        inside_only(now, concat(inputs(dr, dz, dn), -1, cx.where), cx.where);
    by_h[static_cast<size_t>(t)] = du;
  }
  const Tensor none = zeros(Shape{h.dim(0), h.dim(1), weight.dim(0)}, h.dtype(), cx.where);
  return {over_time(by_x, none, cx.where), over_time(by_h, none, cx.where), dh};
}

Tensors joined(const NoAttrs& at, const BatchCtx& cx) {
  return batched(kGruScanVjp, &at, cx, 0b00100, 0b11011);
}

}  // namespace

constinit const OpDef kGruScanVjp{
    .name = "gru.scan.vjp",
    .module = "nn",
    .doc =
        "From the cotangent `g` of gru.scan's states, the states `h` before each step and `inside` "
        "as "
        "gru.scan gives it, the cotangents of `x`, of `u = h weight^T` and of `h0`: from the last "
        "step "
        "on, `dh = dh + g[t]`, `dn = dh * (1 - z) * (1 - n^2)`, `dz = dh * (h[t] - n) * z * (1 - "
        "z)`, "
        "`dr = dn * u2 * r * (1 - r)`, `dx[t]` is dr, dz and dn, `du[t]` dr, dz and `dn * r`, and "
        "`dh "
        "= dh * z + du[t] weight`; where `mask` is false `dx[t]` and `du[t]` are 0 and `dh` stays. "
        "The "
        "order of summation is that of matmul.",
    .inputs = {"inside: floating", "h: like inside", "weight: like inside", "g: like inside",
               "mask?: boolean"},
    .outputs = {"dx: like inside", "du: like inside", "dh: like inside"},
    .laws = kScanVjpLaws,
    .infer = rule<vjp_infer>(),
    .grad = derive::composed<formula>().except(4, "the mask is boolean"),
    .batch = batch::rule<joined>(),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
