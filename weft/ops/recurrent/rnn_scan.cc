// rnn.scan: h[t] = tanh or relu of x[t] + h[t - 1] weight^T.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/recurrent/recurrent.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

using namespace recurrent;

// x, weight, h0, mask?
Types scan_infer(const RnnScanAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape* const states[] = {&in[2].shape};
  require_shapes(cx, in[0].shape, in[1].shape, states, in.size() > 3 ? &in[3].shape : nullptr, 1);
  return {in[0]};
}

Tensor activated(const RnnScanAttrs& at, const Tensor& x, Where where) {
  return at.relu ? relu(x, where) : tanh(x, where);
}

// Half floats are computed with in float32.
Tensors run(const RnnScanAttrs& at, TensorSpan in, TypeSpan types) {
  const DType dtype = in[0].dtype(), wide = compute_of(dtype);
  const Tensor x = cast(in[0], wide), weight = cast(in[1], wide);
  const Tensor turned = weight.view(Shape{weight.dim(1), weight.dim(0)},
                                    Ints{weight.strides()[1], weight.strides()[0]});
  const Tensor mask = in.size() > 3 ? in[3] : Tensor();
  const Tensor out = Tensor::empty(wide, types[0].shape);
  Tensor h = cast(in[2], wide);
  const Tensor product = Tensor::empty(wide, h.shape());
  for (int64_t t = 0; t < x.dim(0).value(); ++t) {
    native::matmul(product, h, turned);
    const Tensor now = activated(at, step_view(x, t) + product, Where{});
    h = masked(mask.defined() ? step_view(mask, t) : mask, now, h, Where{});
    native::copy(step_view(out, t), h);
  }
  return {cast(out, dtype)};
}

// How much each state changes with what is inside the tanh or relu.
Tensor slope(const RnnScanAttrs& at, const Tensor& before, const GradCtx& cx) {
  const Tensor inside = cx.inputs[0] + times_transposed(before, cx.inputs[1], cx.where);
  const Tensor h = activated(at, inside, cx.where);
  if (!at.relu) return 1.0 - square(h, cx.where);
  return cast(greater(inside, 0.0, cx.where), h.dtype(), cx.where);
}

Tensors vjp(const RnnScanAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor &weight = cx.inputs[1], &h0 = cx.inputs[2];
  const Tensor mask = cx.inputs.size() > 3 ? cx.inputs[3] : Tensor();
  const Tensor before = shifted(h0, cx.outputs[0], cx.where), by = slope(at, before, cx);
  const int64_t steps = cx.inputs[0].dim(0).value();
  const Tensor zero = Tensor::scalar(h0.dtype(), 0);
  Tensor dh = zeros(Shape(h0.shape()), h0.dtype(), cx.where);
  Tensors inside(static_cast<size_t>(steps));
  for (int64_t t = steps; t-- > 0;) {
    dh = dh + at_time(g[0], t, cx.where);
    const Tensor now = mask.defined() ? at_time(mask, t, cx.where) : mask;
    const Tensor da = masked(now, dh * at_time(by, t, cx.where), zero, cx.where);
    const Tensor kept = now.defined() ? where(now, zero, dh, cx.where) : zero;
    dh = matmul(da, weight, cx.where) + kept;
    inside[static_cast<size_t>(t)] = da;
  }
  const Tensor dx = steps == 0 ? zeros(Shape(cx.inputs[0].shape()), h0.dtype()) : stack(inside, 0);
  Tensors out{dx, weight_gradient(dx, before, cx.where), dh};
  if (mask.defined()) out.push_back(Tensor());
  return out;
}

Tensors jvp(const RnnScanAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Tensor &weight = cx.inputs[1], &h0 = cx.inputs[2];
  const Tensor mask = cx.inputs.size() > 3 ? cx.inputs[3] : Tensor();
  const Tensor before = shifted(h0, cx.outputs[0], cx.where), by = slope(at, before, cx);
  Tensor change = zeros(Shape(cx.inputs[0].shape()), h0.dtype(), cx.where);
  if (t[0].defined()) change = change + t[0];
  if (t[1].defined()) change = change + times_transposed(before, t[1], cx.where);
  Tensor h = t[2].defined() ? t[2] : zeros(Shape(h0.shape()), h0.dtype(), cx.where);
  Tensors out;
  for (int64_t i = 0; i < cx.inputs[0].dim(0).value(); ++i) {
    const Tensor inside = at_time(change, i, cx.where) + times_transposed(h, weight, cx.where);
    const Tensor now = mask.defined() ? at_time(mask, i, cx.where) : mask;
    h = masked(now, inside * at_time(by, i, cx.where), h, cx.where);
    out.push_back(h);
  }
  return {out.empty() ? change : stack(out, 0)};
}

Tensors joined(const RnnScanAttrs& at, const BatchCtx& cx) {
  return batched(kRnnScan, &at, cx, 0b0010, 0b1001);
}

}  // namespace

constinit const OpDef kRnnScan{
    .name = "rnn.scan",
    .module = "nn",
    .doc =
        "`h[t] = tanh(x[t] + h[t - 1] weight^T)`, or relu, from `h0` on, for `x` [time, batch, "
        "size] that is projected already; where `mask` is false the state stays. The order of "
        "summation is that of matmul. nn.rnn_tanh and nn.rnn_relu are the ones to call.",
    .inputs = {"x: floating", "weight: like x", "h0: like x", "mask?: boolean"},
    .outputs = {"h: like x"},
    .attrs = attrs_type<RnnScanAttrs>(),
    .laws = {Law{"rank", "`x` has time, batch and gates, `weight` is a matrix"},
             Law{"shape", "gates, states and mask have the sizes of each other"}},
    .infer = rule<scan_infer>(),
    .grad = derive::rules<vjp, jvp>().except(3, "the mask is boolean"),
    .batch = batch::rule<joined>(),
    .kernel = kernel::run<run>(),
};

}  // namespace weft
