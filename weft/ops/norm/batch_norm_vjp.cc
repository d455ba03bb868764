// batch_norm.vjp: the cotangents of batch_norm.train, in two passes over x and g.
#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/sum_of.h"
#include "weft/ops/norm/batch_norm.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types channel_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape& x = in[0].shape;
  cx.require(x.size() == 3, "rank", "x has shape ", x, "; it must be [batch, channels, space]");
  cx.require(same(in[1].shape, x) != Tri::kNo, "shape", "g has shape ", in[1].shape,
             ", but x has shape ", x, "; they must be equal");
  const Shape channel{x[1], 1};
  for (size_t i = 2; i < in.size(); ++i) {
    cx.require(same(in[i].shape, channel) != Tri::kNo, "channels", "input ", i, " has shape ",
               in[i].shape, ", but x has shape ", x, "; it must be [channels, 1]");
  }
  const Type value{in[0].dtype, channel};
  return {in[0], value, value};
}

// With c = x - mean and P = mean(g * c): dx = weight * scale * (g - mean(g) - c * scale^2 * P),
// dweight = scale * sum(g * c), dbias = sum(g).
void run(const NoAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor x = packed(in[0]), g = packed(in[1]);  // rows are read twice
  const Tensor &weight = in[2], &mean = in[3], &scale = in[4];
  if (x.numel() == 0) {
    for (const Tensor& each : out) fill(each, 0);
    return;
  }
  if (const DType wide = compute_of(x.dtype()); wide != x.dtype()) {
    Tensors widened, results;
    for (const Tensor& each : in) widened.push_back(cast(each, wide));
    for (const Tensor& each : out) results.push_back(output_in(wide, each));
    run(at, widened, results);
    for (size_t k = 0; k < results.size(); ++k) store(out[k], results[k]);
    return;
  }
  const Tensor count(static_cast<double>(x.dim(0).value()) * static_cast<double>(x.dim(2).value()));
  const Tensors rows = apply_all(kBatchNormSums, inputs(x, g, mean), kNoAttrs, Where{});
  const Tensor total = sum(rows[0], Ints{0}), along = sum(rows[1], Ints{0});
  const Tensor mean_along = along / count, slope = square(scale) * mean_along;
  const Tensor mean_g = total / count;
  const Tensor factor = weight * scale;
  eager_compute_into(kBatchNormDx, inputs(x, g, mean, factor, mean_g, slope), &kNoAttrs,
                     out.first(1));
  store(out[1], reshape(scale * along, Shape(out[1].shape())));
  store(out[2], reshape(total, Shape(out[2].shape())));
}

// The quantities of `run` as tensors that can be differentiated.
struct Parts {
  const Tensor &x, &g, &weight, &mean, &scale;
  Where where;
  Tensor centred = x - mean, count = divisor(x, Ints{0, 2});
  Tensor mean_g = channel_mean(g, where), p = channel_mean(g * centred, where);

  explicit Parts(const GradCtx& cx)
      : x(cx.inputs[0]),
        g(cx.inputs[1]),
        weight(cx.inputs[2]),
        mean(cx.inputs[3]),
        scale(cx.inputs[4]),
        where(cx.where) {}
};

// Mean and scale are inputs of their own here: what they are of x follows from batch_norm.train.
Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan cotangents) {
  const Parts at(cx);
  const Tensor &u = cotangents[0], &v = cotangents[1], &w = cotangents[2], &s = at.scale;
  Tensor by_centred, by_g, by_weight, by_scale;
  if (u.defined()) {
    const Tensor mean_u = channel_mean(u, cx.where), q = channel_mean(u * at.centred, cx.where);
    const Tensor squared = square(s), cubed = at.weight * s * squared;
    const Tensor means = mean_u * at.mean_g, inner = channel_mean(u * at.g, cx.where) - means;
    const Tensor qp = square(s) * q * at.p;
    const Tensor along = at.centred * (square(s) * q), across = u - mean_u - along;
    by_g = (at.weight * s) * across;
    const Tensor from_g = at.g * (cubed * q);
    by_centred = -(u * (cubed * at.p) + from_g);
    const Tensor rest = inner - qp;
    by_weight = at.count * s * rest;
    const Tensor rest_of_scale = inner - 3.0 * qp;
    by_scale = at.count * at.weight * rest_of_scale;
  }
  if (v.defined()) {
    by_g = sum_of(by_g, at.centred * (v * s));
    by_centred = sum_of(by_centred, at.g * (v * s));
    by_scale = sum_of(by_scale, at.count * v * at.p);
  }
  if (w.defined()) by_g = sum_of(by_g, broadcast_to(w, Shape(at.g.shape()), cx.where));
  Tensor by_mean;
  if (by_centred.defined()) by_mean = -squeeze(sum(by_centred, Ints{0, 2}, true), Ints{0});
  return {by_centred, by_g, by_weight, by_mean, by_scale};
}

// A missing tangent is 0.
Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Parts at(cx);
  const Tensor& s = at.scale;
  const auto given = [&](size_t i) { return t[i].defined() ? t[i] : Tensor(0.0); };
  const Tensor x_change = given(0), centre_change = given(3);
  const Tensor g_change = given(1), s_change = given(4), centred_change = x_change - centre_change;
  const Shape full(at.x.shape());
  const auto mean_of = [&](const Tensor& x) {
    return channel_mean(broadcast_to(cast(x, at.x.dtype()), full, cx.where), cx.where);
  };
  const Tensor mean_change = mean_of(g_change);
  const Tensor by_centred = at.g * centred_change;
  const Tensor p_change = mean_of(g_change * at.centred + by_centred);
  const Tensor along = at.centred * (square(s) * at.p), inner = at.g - at.mean_g - along;
  const Tensor by_p = square(s) * p_change;
  const Tensor along_change = at.centred * (2.0 * s * s_change * at.p + by_p);
  const Tensor moved = centred_change * (square(s) * at.p);
  const Tensor inner_change = g_change - mean_change - moved - along_change;
  const Tensor by_inner = inner_change * (at.weight * s), by_scale = at.weight * s_change;
  const Tensor dx = inner * (given(2) * s + by_scale) + by_inner;
  const Tensor s_by_p = s * p_change;
  return {dx, at.count * (s_change * at.p + s_by_p), at.count * mean_change};
}

// Examples become channels.
Tensors batched(const NoAttrs&, const BatchCtx& cx) {
  const Tensor x = cx.with_batch_axis(0);
  const Dim channels = x.dim(2), all = cx.size * channels;
  const Shape wide{x.dim(1), all, x.dim(3)}, narrow{all, 1};
  Tensors in;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    const Tensor own = cx.with_batch_axis(i);
    in.push_back(i < 2 ? reshape(permute_dims(own, {1, 0, 2, 3}, cx.where), wide, cx.where)
                       : reshape(own, narrow, cx.where));
  }
  const Tensors out = apply_all(kBatchNormVjp, in, kNoAttrs, cx.where);
  const Shape parted{x.dim(1), cx.size, channels, x.dim(3)}, value{cx.size, channels, 1};
  return {permute_dims(reshape(out[0], parted, cx.where), {1, 0, 2, 3}, cx.where),
          reshape(out[1], value, cx.where), reshape(out[2], value, cx.where)};
}

}  // namespace

constinit const OpDef kBatchNormVjp{
    .name = "batch_norm.vjp",
    .module = "nn",
    .doc =
        "From the cotangent `g` of batch_norm.train's result, and its mean and scale `1 / "
        "sqrt(variance + eps)`: the cotangents of `x`, `weight` and `bias`. Sums run row by row, "
        "rows over the batch in ascending order.",
    .inputs = {"x: floating", "g: like x", "weight: like x", "mean: like x", "scale: like x"},
    .outputs = {"dx: like x", "dweight: like x", "dbias: like x"},
    .laws = {Law{"rank", "`x` has axes batch, channels and space"},
             Law{"shape", "`g` has the shape of `x`"},
             Law{"channels", "the other inputs are [channels, 1]"}},
    .infer = rule<channel_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
