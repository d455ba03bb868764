// rnn.scan: h[t] = tanh or relu of x[t] + h[t - 1] weight^T.
#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/recurrent/loop.h"
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

// Half floats are computed with in float32.
void run(const RnnScanAttrs& at, TensorSpan in, TensorSpan results) {
  const DType wide = compute_of(in[0].dtype());
  const Tensor x = cast(in[0], wide), weight = cast(in[1], wide), h0 = cast(in[2], wide);
  const Tensor out = output_in(wide, results[0]);
  const Tensor product = Tensor::empty(wide, h0.shape());
  NativeLoop loop(at.relu ? kRnnReluStep : kRnnTanhStep, out);
  loop.at_time(out);
  loop.always(product);
  loop.before(h0, out);
  loop.mask(in.size() > 3 ? in[3] : Tensor());
  loop.multiply_before(h0, out, weight, product);
  loop.add_product_to(x);
  loop.run();
  store(results[0], out);
}

// How much each state changes with what is inside the tanh or relu. Where a mask is false it is
// that of another step, but then it is not used.
Tensor slope(const RnnScanAttrs& at, const GradCtx& cx) {
  const Tensor& h = cx.outputs[0];
  if (!at.relu) return 1.0 - square(h, cx.where);
  return cast(greater(h, 0.0, cx.where), h.dtype(), cx.where);
}

Tensors vjp(const RnnScanAttrs& at, const GradCtx& cx, TensorSpan g) {
  Tensors in{slope(at, cx), cx.inputs[1], g[0]};
  const bool has_mask = cx.inputs.size() > 3;
  if (has_mask) in.push_back(cx.inputs[3]);
  const Tensors d = apply_all(kRnnScanVjp, in, kNoAttrs, cx.where);
  const Tensor before = shifted(cx.inputs[2], cx.outputs[0], cx.where);
  Tensors out{d[0], weight_gradient(d[0], before, cx.where), d[1]};
  if (has_mask) out.push_back(Tensor());
  return out;
}

Tensors jvp(const RnnScanAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Tensor &weight = cx.inputs[1], &h0 = cx.inputs[2];
  const Tensor mask = cx.inputs.size() > 3 ? cx.inputs[3] : Tensor();
  const Tensor before = shifted(h0, cx.outputs[0], cx.where), by = slope(at, cx);
  Tensor change = or_zeros(t[0], cx.inputs[0], cx.where);
  if (t[1].defined()) change = change + times_transposed(before, t[1], cx.where);
  Tensor h = or_zeros(t[2], h0, cx.where);
  Tensors out;
  for (int64_t i = 0; i < cx.inputs[0].dim(0).value(); ++i) {
    const Tensor by_h = times_transposed(h, weight, cx.where);
    const Tensor inside = at_time(change, i, cx.where) + by_h;
    const Tensor next = inside * at_time(by, i, cx.where);
    h = masked(mask_at(mask, i, cx.where), next, h, cx.where);
    out.push_back(h);
  }
  return {over_time(out, change, cx.where)};
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
    .grad = derive::rules<vjp, jvp>().except(3, "the mask is boolean").reading(0b1110, true),
    .batch = batch::rule<joined>(),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
