// batch_norm.train: channels brought to mean 0 and variance 1 by the statistics of the batch.
//
// Two passes over x: means and squares of rows, then the result. The statistics of a channel are
// put together from those of its rows (Chan, Golub, LeVeque 1979), so that x is read once for them.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/sum_of.h"
#include "weft/ops/norm/batch_norm.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

Tensor channel_mean(const Tensor& x, Where where) {
  return squeeze(mean(x, Ints{0, 2}, /*keepdims=*/true, where), Ints{0}, where);
}

Tensor channel_scale(const Tensor& variance, double eps, Where where) {
  return rsqrt(variance + Tensor(eps), where);
}

namespace {

Types channel_infer(const EpsAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape& x = in[0].shape;
  cx.require(x.size() == 3, "rank", "x has shape ", x, "; it must be [batch, channels, space]");
  const Shape channel{x[1], 1};
  for (size_t i = 1; i < in.size(); ++i) {
    cx.require(same(in[i].shape, channel) != Tri::kNo, "channels", i == 1 ? "weight" : "bias",
               " has shape ", in[i].shape, ", but x has shape ", x, "; it must be [channels, 1]");
  }
  const Type value{in[0].dtype, channel};
  return {in[0], value, value};
}

// The sum over the batch of [batch, channels, 1].
Tensor over_batch(const Tensor& x) { return sum(x, Ints{0}); }

// Half floats are computed with in float32.
void run(const EpsAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor x = packed(in[0]);  // rows are read twice
  const Where where{};
  if (x.numel() == 0) {
    for (const Tensor& each : out) fill(each, __builtin_nan(""));
    return;
  }
  if (const DType wide = compute_of(x.dtype()); wide != x.dtype()) {
    const Tensor bias = cast(in[2], wide), weight = cast(in[1], wide);
    Tensors results;
    for (const Tensor& each : out) results.push_back(output_in(wide, each));
    run(at, inputs(cast(x, wide), weight, bias), results);
    for (size_t k = 0; k < results.size(); ++k) store(out[k], results[k]);
    return;
  }
  const auto batch = static_cast<double>(x.dim(0).value());
  const auto space = static_cast<double>(x.dim(2).value());
  const Tensors rows = apply_all(kBatchNormMoments, inputs(x), kNoAttrs, where);
  const Tensor mean = over_batch(rows[0]) / Tensor(batch);
  const Tensor apart = Tensor(space) * over_batch(square(rows[0] - mean));
  const Tensor variance = (over_batch(rows[1]) + apart) / Tensor(batch * space);
  const Tensor scale = channel_scale(variance, at.eps, where) * in[1];
  eager_compute_into(kBatchNormScaled, inputs(x, mean, scale, in[2]), &kNoAttrs, out.first(1));
  store(out[1], reshape(mean, Shape(out[1].shape())));
  store(out[2], reshape(variance, Shape(out[2].shape())));
}

// Besides the cotangent of the result, the statistics may have theirs.
Tensors vjp(const EpsAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor &x = cx.inputs[0], &weight = cx.inputs[1];
  const Tensor &mean = cx.outputs[1], &variance = cx.outputs[2];
  const Tensor count = divisor(x, Ints{0, 2});
  Tensor dx, dweight, dbias;
  if (g[0].defined()) {
    const Tensor scale = channel_scale(variance, at.eps, cx.where);
    const Tensors all =
        apply_all(kBatchNormVjp, inputs(x, g[0], weight, mean, scale), kNoAttrs, cx.where);
    dx = all[0], dweight = all[1], dbias = all[2];
  }
  if (g[1].defined()) dx = sum_of(dx, broadcast_to(g[1] / count, Shape(x.shape()), cx.where));
  if (g[2].defined()) {
    const Tensor slope = 2.0 * g[2] / count;
    dx = sum_of(dx, (x - mean) * slope);
  }
  return {dx, dweight, dbias};
}

Tensors jvp(const EpsAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Tensor &x = cx.inputs[0], &weight = cx.inputs[1];
  const Tensor &mean = cx.outputs[1], &variance = cx.outputs[2];
  const Tensor scale = channel_scale(variance, at.eps, cx.where), centred = x - mean;
  Tensor out, mean_change, variance_change;
  if (t[0].defined()) {
    mean_change = channel_mean(t[0], cx.where);
    variance_change = 2.0 * channel_mean(centred * t[0], cx.where);
    const Tensor squared = square(scale);
    const Tensor scale_change = -0.5 * scale * squared * variance_change;
    const Tensor by_scale = centred * (scale_change * weight), factor = scale * weight;
    out = (t[0] - mean_change) * factor + by_scale;
  }
  if (t[1].defined()) out = sum_of(out, centred * (scale * t[1]));
  out = sum_of(out, t[2]);
  if (out.defined()) out = broadcast_to(out, Shape(x.shape()), cx.where);
  return {out, mean_change, variance_change};
}

// Examples become channels.
Tensors batched(const EpsAttrs& at, const BatchCtx& cx) {
  const auto joined = [&](size_t i, int64_t channels, const Shape& shape) {
    Tensor x = cx.with_batch_axis(i);
    if (channels == 2) x = permute_dims(x, {1, 0, 2, 3}, cx.where);
    return reshape(x, shape, cx.where);
  };
  const Tensor x = cx.with_batch_axis(0);
  const Dim channels = x.dim(2), all = cx.size * channels;
  const Tensor bias = joined(2, 1, Shape{all, 1}), weight = joined(1, 1, Shape{all, 1});
  const Tensor examples = joined(0, 2, Shape{x.dim(1), all, x.dim(3)});
  const Tensors out = apply_all(kBatchNormTrain, inputs(examples, weight, bias), at, cx.where);
  const Shape parted{x.dim(1), cx.size, channels, x.dim(3)}, value{cx.size, channels, 1};
  return {permute_dims(reshape(out[0], parted, cx.where), {1, 0, 2, 3}, cx.where),
          reshape(out[1], value, cx.where), reshape(out[2], value, cx.where)};
}

}  // namespace

constinit const OpDef kBatchNormTrain{
    .name = "batch_norm.train",
    .module = "nn",
    .doc =
        "`(x - mean) / sqrt(variance + eps) * weight + bias` for `x` [batch, channels, space], "
        "with the mean and the variance (of the population) of each channel, which are results "
        "too. Means and squares are summed row by row, rows over the batch in ascending order.",
    .inputs = {"x: floating", "weight: like x", "bias: like x"},
    .outputs = {"out: like x", "mean: like x", "variance: like x"},
    .attrs = attrs_type<EpsAttrs>(),
    .laws = {Law{"rank", "`x` has axes batch, channels and space"},
             Law{"channels", "`weight` and `bias` are [channels, 1]"}},
    .infer = rule<channel_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
