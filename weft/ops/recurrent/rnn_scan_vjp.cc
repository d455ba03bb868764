// rnn.scan.vjp: the cotangents of rnn.scan, step by step backwards.
#include "weft/op/apply.h"
#include "weft/op/composed.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/recurrent/loop.h"
#include "weft/ops/recurrent/recurrent.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

using namespace recurrent;

// slope, weight, g, mask?
Types vjp_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape* const others[] = {&in[2].shape};
  require_backward(cx, in[0].shape, 1, in[1].shape, 1, others,
                   in.size() > 3 ? &in[3].shape : nullptr);
  return {in[0], {in[0].dtype, Shape{in[0].shape[1], in[0].shape[2]}}};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan results) {
  const DType wide = compute_of(in[0].dtype());
  const Tensor slope = cast(in[0], wide), weight = cast(in[1], wide), g = cast(in[2], wide);
  const Tensor da = output_in(wide, results[0]), dh = zero_output_in(wide, results[1]);
  NativeLoop loop(kRnnStepVjp, g, /*backwards=*/true);
  loop.at_time(da);
  loop.always(dh);
  loop.at_time(slope);
  loop.at_time(g);
  loop.always(dh);
  loop.mask(in.size() > 3 ? in[3] : Tensor());
  loop.multiply_behind(da, weight, dh);
  loop.run();
  store(results[0], da);
  store(results[1], dh);
}

Tensors formula(const NoAttrs&, const GradCtx& cx, TensorSpan) {
  const Tensor &slope = cx.inputs[0], &weight = cx.inputs[1], &g = cx.inputs[2];
  const Tensor mask = cx.inputs.size() > 3 ? cx.inputs[3] : Tensor();
  const int64_t steps = slope.dim(0).value();
  Tensor dh = zeros(Shape{slope.dim(1), slope.dim(2)}, slope.dtype(), cx.where);
  Tensors inside(static_cast<size_t>(steps));
  for (int64_t t = steps; t-- > 0;) {
    dh = dh + at_time(g, t, cx.where);
    const Tensor now = mask_at(mask, t, cx.where);
    const Tensor da = inside_only(now, dh * at_time(slope, t, cx.where), cx.where);
    const Tensor by_h = matmul(da, weight, cx.where);
    dh = outside_only(now, dh, cx.where) + by_h;
    inside[static_cast<size_t>(t)] = da;
  }
  return {over_time(inside, slope, cx.where), dh};
}

Tensors joined(const NoAttrs& at, const BatchCtx& cx) {
  return batched(kRnnScanVjp, &at, cx, 0b0010, 0b1101);
}

}  // namespace

constinit const OpDef kRnnScanVjp{
    .name = "rnn.scan.vjp",
    .module = "nn",
    .doc =
        "From the cotangent `g` of rnn.scan's result and the slope of each state, `1 - h^2` or 0 "
        "and 1, the cotangents of `x` and `h0`: from the last step on, `dh = dh + g[t]`, "
        "`da[t] = dh * slope[t]` and `dh = da[t] weight`; where `mask` is false `da[t]` is 0 and "
        "`dh` stays. The order of summation is that of matmul.",
    .inputs = {"slope: floating", "weight: like slope", "g: like slope", "mask?: boolean"},
    .outputs = {"da: like slope", "dh: like slope"},
    .laws = kScanVjpLaws,
    .infer = rule<vjp_infer>(),
    .grad = derive::composed<formula>().except(3, "the mask is boolean"),
    .batch = batch::rule<joined>(),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
