// layer_norm: rows brought to mean 0 and variance 1, then scaled and shifted.
//
// The op people call is a composite: it joins the last axes into one and names what was left out.
// Below it are two row kernels, for the rows themselves and for their gradient.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

// All inputs broadcast to the rows; epsilon, the last input, has a dtype of its own.
Type rows_type(const InferCtx& cx, TypeSpan in) {
  Type rows = in[0];
  for (size_t i = 1; i < in.size(); ++i) rows.shape = cx.broadcast(rows.shape, in[i].shape);
  cx.require(!in[0].shape.empty(), "rank", "x has rank 0; it needs an axis to normalize along");
  const Dim length = in[0].shape.back();  // a weight must not make the row longer
  cx.require(same(length, rows.shape.back()) != Tri::kNo, "row", "x has rows of length ", length,
             ", but the other inputs make them ", rows.shape.back(), " long; they must be equal");
  return rows;
}
Types rows_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) { return {rows_type(cx, in)}; }

// The cotangents of weight and bias: axes between those kept and the last have size 1.
Types vjp_infer(const LayerNormVjpAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Type rows = rows_type(cx, in);
  const auto rank = static_cast<int64_t>(rows.shape.size());
  cx.require(0 <= at.keep && at.keep < rank, "keep", "keep is ", at.keep,
             ", but the rows have shape ", rows.shape,
             "; it must be at least 0 and below the rank");
  Type total = rows;
  for (int64_t d = at.keep; d < rank - 1; ++d) total.shape[static_cast<size_t>(d)] = 1;
  return {rows, total, total};
}

constexpr uint32_t kEpsilon = 1u << 3;  // the input that is one number for the whole row

struct Row {
  Expr length, scale, centred, normal;
};

// What both kernels need of a row: 1 / sqrt(variance + epsilon), and the normalized elements.
Row row_of(Expr x, Expr epsilon) {
  const Expr length = cast(Expr::row_length(), x.dtype());
  const Expr centred = x - row_sum(x) / length;
  const Expr variance = row_sum(centred * centred) / length;
  const Expr scale = rsqrt(variance + cast(epsilon, x.dtype()));
  return {length, scale, centred, centred * scale};
}

void meaning(const Expr* in, Expr* out) { out[0] = row_of(in[0], in[3]).normal * in[1] + in[2]; }

// With h = g * weight: scale * (h - mean(h) - normal * mean(h * normal)). Summed over the rows,
// g * normal is the cotangent of weight and g that of bias.
void vjp_meaning(const Expr* in, Expr* out) {
  const Row row = row_of(in[0], in[3]);
  const Expr g = in[1], h = g * in[2];
  // Of the centred elements, not the normal ones: these need the variance, which is a pass more.
  const Expr mean = row_sum(h) / row.length;
  const Expr along = row.scale * (row_sum(h * row.centred) / row.length);
  out[0] = row.scale * (h - mean - row.normal * along);
  out[1] = g * row.normal;
  out[2] = g;
}
constexpr uint32_t kSummed = 0b110;

// The same quantities on tensors, for tangents and for gradients of gradients. `project` is the
// derivative of `normal` by x: linear, and its own transpose.
struct Rows {
  Tensor x, epsilon;
  Where where;

  Tensor mean(const Tensor& t) const { return weft::mean(t, Ints{-1}, true, where); }
  Tensor normal() const {
    return apply(kLayerNormRows, inputs(x, one, zero, epsilon), kNoAttrs, where);
  }
  Tensor project(const Tensor& t) const {
    return apply_all(kLayerNormVjp, inputs(x, t, one, epsilon), LayerNormVjpAttrs{}, where)[0];
  }
  Tensor scale() const {
    const Tensor variance = mean(square(x - mean(x), where));
    return rsqrt(variance + cast(epsilon, x.dtype(), where), where);
  }

  const Tensor one{1.0}, zero{0.0};
};

Tensor sum_of(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  return a + b;
}

// How many of the first of `rank` axes the input has itself: its cotangent keeps them.
int64_t own_axes(const Tensor& x, int64_t rank) {
  const int64_t before = rank - x.rank();
  for (int64_t d = x.rank() - 2; d >= 0; --d) {
    if (!(x.dim(d) == Dim(1))) return before + d + 1;
  }
  return 0;
}

Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor &x = cx.inputs[0], &weight = cx.inputs[1], &bias = cx.inputs[2];
  const int64_t rank = g[0].rank();
  const LayerNormVjpAttrs at{std::max(own_axes(weight, rank), own_axes(bias, rank))};
  const Tensors all = apply_all(kLayerNormVjp, inputs(x, g[0], weight, cx.inputs[3]), at, cx.where);
  return {all[0], all[1], all[2], Tensor()};
}
Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Rows rows{cx.inputs[0], cx.inputs[3], cx.where};
  Tensor out = t[2];
  if (t[0].defined()) out = sum_of(out, rows.project(t[0]) * cx.inputs[1]);
  if (t[1].defined()) out = sum_of(out, rows.normal() * t[1]);
  if (out.defined()) out = broadcast_to(out, Shape(cx.outputs[0].shape()), cx.where);
  return {out};
}

// Summed as the op sums its terms.
Tensor total(const Tensor& terms, const LayerNormVjpAttrs& at, Where where) {
  Ints axes;
  for (int64_t d = at.keep; d + 1 < terms.rank(); ++d) axes.push_back(d);
  return axes.empty() ? terms : sum(terms, axes, true, where);
}

// Of dx = project(h), the sum of g * normal and the sum of g, with h = g * weight.
Tensors backward_vjp(const LayerNormVjpAttrs&, const GradCtx& cx, TensorSpan cotangents) {
  const Tensor &g = cx.inputs[1], &weight = cx.inputs[2], &dx = cx.outputs[0], &u = cotangents[0];
  const Rows rows{cx.inputs[0], cx.inputs[3], cx.where};
  const Shape full(dx.shape());
  const Tensor normal = rows.normal();
  Tensor by_x, by_g, by_weight;
  if (u.defined()) {
    const Tensor pu = rows.project(u);
    by_x = -rows.scale() * (normal * rows.mean(u * dx) + pu * rows.mean(g * weight * normal) +
                            dx * rows.mean(u * normal));
    by_g = weight * pu;
    by_weight = g * pu;
  }
  if (cotangents[1].defined()) {
    const Tensor v = broadcast_to(cotangents[1], full, cx.where);
    by_x = sum_of(by_x, rows.project(v * g));
    by_g = sum_of(by_g, v * normal);
  }
  if (cotangents[2].defined()) by_g = sum_of(by_g, broadcast_to(cotangents[2], full, cx.where));
  return {by_x, by_g, by_weight, Tensor()};
}
Tensors backward_jvp(const LayerNormVjpAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Tensor &g = cx.inputs[1], &weight = cx.inputs[2], &dx = cx.outputs[0];
  const Rows rows{cx.inputs[0], cx.inputs[3], cx.where};
  const Tensor normal = rows.normal();
  const auto summed = [&](const Tensor& terms) {
    const Shape full(dx.shape());
    return terms.defined() ? total(broadcast_to(terms, full, cx.where), at, cx.where) : Tensor();
  };
  Tensor change_of_h, by_x, y;
  if (t[1].defined()) {
    change_of_h = t[1] * weight;
    y = t[1] * normal;
  }
  if (t[2].defined()) change_of_h = sum_of(change_of_h, g * t[2]);
  if (t[0].defined()) {
    const Tensor h = g * weight, turned = rows.project(t[0]);
    by_x = -rows.scale() * (dx * rows.mean(normal * t[0]) + turned * rows.mean(h * normal) +
                            normal * rows.mean(h * turned));
    y = sum_of(y, g * turned);
  }
  if (change_of_h.defined()) by_x = sum_of(by_x, rows.project(change_of_h));
  return {by_x, summed(y), summed(t[1])};
}

// The batch axis is one more that is kept; behind it, inputs of lower rank get axes of size 1.
Tensors backward_batch(const LayerNormVjpAttrs& at, const BatchCtx& cx) {
  int64_t rank = 0;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    rank = std::max(rank, cx.inputs[i].rank() - (cx.batched[i] ? 1 : 0));
  }
  Tensors in(cx.inputs.begin(), cx.inputs.end());
  for (size_t i = 0; i < in.size(); ++i) {
    if (!cx.batched[i]) continue;
    Shape shape{cx.size};
    for (int64_t d = in[i].rank() - 1; d < rank; ++d) shape.push_back(1);
    for (Dim dim : in[i].shape().subspan(1)) shape.push_back(dim);
    in[i] = reshape(in[i], shape, cx.where);
  }
  return apply_all(kLayerNormVjp, in, LayerNormVjpAttrs{at.keep + 1}, cx.where);
}

// The shape of `x` with its last `axes` axes joined to one.
Shape joined(ShapeView shape, int64_t axes) {
  const size_t kept = shape.size() - static_cast<size_t>(axes);
  Shape out(shape.first(kept));
  Dim length = 1;
  for (Dim dim : shape.subspan(kept)) length *= dim;
  out.push_back(length);
  return out;
}

// A weight or bias as one row; `value` if it is left out.
Tensor as_row(const InferCtx& cx, TensorSpan in, size_t i, int64_t axes, double value) {
  if (in.size() <= i || !in[i].defined()) return Tensor(value);
  const ShapeView expected = in[0].shape().last(static_cast<size_t>(axes));
  cx.require(same(in[i].shape(), expected) != Tri::kNo, "affine", i == 1 ? "weight" : "bias",
             " has shape ", in[i].shape(), ", but the last ", axes, " axes of x have shape ",
             expected, "; they must be equal");
  return axes == 1 ? in[i] : reshape(in[i], joined(expected, axes));
}

Tensors composed(const LayerNormAttrs& at, TensorSpan in) {
  const InferCtx cx{"layer_norm"};
  cx.require(!in.empty() && in.size() <= 3, "count", "takes 1 to 3 inputs, but got ", in.size());
  const Tensor& x = in[0];
  cx.require(1 <= at.axes && at.axes <= x.rank(), "axes", "axes is ", at.axes, ", but x has shape ",
             x.shape(), "; it must be between 1 and the rank of x");
  const Tensor weight = as_row(cx, in, 1, at.axes, 1.0), bias = as_row(cx, in, 2, at.axes, 0.0);
  const Tensor epsilon = Tensor::scalar(DType::kF64, at.eps);
  const Tensor rows = at.axes == 1 ? x : reshape(x, joined(x.shape(), at.axes));
  const Tensor out = apply(kLayerNormRows, inputs(rows, weight, bias, epsilon), kNoAttrs, Where{});
  return {at.axes == 1 ? out : reshape(out, Shape(x.shape()))};
}

}  // namespace

constinit const CompositeDef kLayerNorm{
    .name = "layer_norm",
    .module = "nn",
    .doc =
        "`(x - mean) / sqrt(variance + eps) * weight + bias`, with the mean and the variance of "
        "the last `axes` axes (one, if not said). The variance is that of the population; "
        "`weight` and `bias` have the shape of those axes and may be left out. A row with an "
        "infinity or NaN is NaN, and so is its gradient, whatever the cotangent.",
    .inputs = {"x: floating", "weight?: like x", "bias?: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<LayerNormAttrs>(),
    .laws = {Law{"axes", "`axes` is between 1 and the rank of `x`"},
             Law{"affine", "`weight` and `bias` have the shape of the last `axes` axes of `x`"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.layer_norm"}},
};

constinit const OpDef kLayerNormRows{
    .name = "layer_norm.rows",
    .module = "nn",
    .doc = "layer_norm along the last axis, where nothing is left out.",
    .inputs = {"x: floating", "weight: like x", "bias: like x", "epsilon: float64"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "`x` has an axis to normalize along"},
             Law{"row",
                 "the last axis of `x` is as long as that of the other inputs, or they have 1"}},
    .infer = rule<rows_infer>(),
    .grad = derive::rules<vjp, jvp>().except(3, "epsilon is a constant of the model"),
    .batch = batch::broadcasting(),
    .kernel = kernel::row(4, 1, meaning, kEpsilon),
};

constinit const OpDef kLayerNormVjp{
    .name = "layer_norm.vjp",
    .module = "nn",
    .doc =
        "From the cotangent `g` of layer_norm.rows: those of `x`, `weight` and `bias`. The latter "
        "two are sums over all axes but the last and the first `keep`.",
    .inputs = {"x: floating", "g: like x", "weight: like x", "epsilon: float64"},
    .outputs = {"dx: like x", "dweight: like x", "dbias: like x"},
    .attrs = attrs_type<LayerNormVjpAttrs>(),
    .laws = {Law{"rank", "`x` has an axis to normalize along"},
             Law{"row",
                 "the last axis of `x` is as long as that of the other inputs, or they have 1"},
             Law{"keep", "`keep` is at least 0 and below the rank of the rows"}},
    .infer = rule<vjp_infer>(),
    .grad =
        derive::rules<backward_vjp, backward_jvp>().except(3, "epsilon is a constant of the model"),
    .batch = batch::rule<backward_batch>(),
    .kernel = kernel::row(4, 3, vjp_meaning, kEpsilon, kSummed),
};

namespace nn {

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps,
                  Where where) {
  const int64_t axes = weight.defined() ? weight.rank() : bias.defined() ? bias.rank() : 1;
  return compose(kLayerNorm, inputs(x, weight, bias), LayerNormAttrs{axes, eps}, where);
}

}  // namespace nn
}  // namespace weft
