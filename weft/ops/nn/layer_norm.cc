// layer_norm: rows brought to mean 0 and variance 1, then scaled and shifted.
//
// The op people call is a composite: it joins the last axes into one and names what was left out.
// Below it are two row kernels, for the rows themselves and for their gradient.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

// All inputs broadcast to the rows; epsilon, the last input, has a dtype of its own.
template <int Outputs>
Types row_types(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  Type rows = in[0];
  for (size_t i = 1; i < in.size(); ++i) rows.shape = cx.broadcast(rows.shape, in[i].shape);
  cx.require(!rows.shape.empty(), "rank", "x has rank 0; it needs an axis to normalize along");
  return Types(Outputs, rows);
}

constexpr uint32_t kEpsilon = 1u << 3;  // the input that is one number for the whole row

struct Row {
  Expr length, scale, normal;
};

// What both kernels need of a row: 1 / sqrt(variance + epsilon), and the normalized elements.
Row row_of(Expr x, Expr epsilon) {
  const Expr length = cast(Expr::row_length(), x.dtype());
  const Expr centred = x - row_sum(x) / length;
  const Expr variance = row_sum(centred * centred) / length;
  const Expr scale = rsqrt(variance + cast(epsilon, x.dtype()));
  return {length, scale, centred * scale};
}

void meaning(const Expr* in, Expr* out) { out[0] = row_of(in[0], in[3]).normal * in[1] + in[2]; }

// With h = g * weight: scale * (h - mean(h) - normal * mean(h * normal)), and g * normal, which
// summed over the rows is the cotangent of weight.
void vjp_meaning(const Expr* in, Expr* out) {
  const Row row = row_of(in[0], in[3]);
  const Expr g = in[1], h = g * in[2];
  const Expr mean = row_sum(h) / row.length, along = row_sum(h * row.normal) / row.length;
  out[0] = row.scale * (h - mean - row.normal * along);
  out[1] = g * row.normal;
}

// The same quantities on tensors, for tangents and for gradients of gradients. `project` is the
// derivative of `normal` by x: linear, and its own transpose.
struct Rows {
  Tensor x, epsilon;
  Where where;

  Tensor mean(const Tensor& t) const {
    const auto length = static_cast<double>(x.dim(-1).value());
    return sum(t, Ints{-1}, true, where) / Tensor(length);
  }
  Tensor normal() const {
    return apply(kLayerNormRows, inputs(x, one, zero, epsilon), kNoAttrs, where);
  }
  Tensor project(const Tensor& t) const {
    return apply_all(kLayerNormVjp, inputs(x, t, one, epsilon), kNoAttrs, where)[0];
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

Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor &x = cx.inputs[0], &weight = cx.inputs[1], &epsilon = cx.inputs[3];
  const Tensors both =
      apply_all(kLayerNormVjp, inputs(x, g[0], weight, epsilon), kNoAttrs, cx.where);
  return {both[0], both[1], g[0], Tensor()};
}
Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Rows rows{cx.inputs[0], cx.inputs[3], cx.where};
  Tensor out = t[2];
  if (t[0].defined()) out = sum_of(out, rows.project(t[0]) * cx.inputs[1]);
  if (t[1].defined()) out = sum_of(out, rows.normal() * t[1]);
  if (out.defined()) out = broadcast_to(out, Shape(cx.outputs[0].shape()), cx.where);
  return {out};
}

// Of dx = project(h) and y = g * normal, with h = g * weight.
Tensors backward_vjp(const NoAttrs&, const GradCtx& cx, TensorSpan cotangents) {
  const Tensor &g = cx.inputs[1], &weight = cx.inputs[2], &dx = cx.outputs[0];
  const Tensor &u = cotangents[0], &v = cotangents[1];
  const Rows rows{cx.inputs[0], cx.inputs[3], cx.where};
  const Tensor normal = rows.normal();
  Tensor by_x, by_g, by_weight;
  if (u.defined()) {
    const Tensor pu = rows.project(u);
    by_x = -rows.scale() * (normal * rows.mean(u * dx) + pu * rows.mean(g * weight * normal) +
                            dx * rows.mean(u * normal));
    by_g = weight * pu;
    by_weight = g * pu;
  }
  if (v.defined()) {
    by_x = sum_of(by_x, rows.project(v * g));
    by_g = sum_of(by_g, v * normal);
  }
  return {by_x, by_g, by_weight, Tensor()};
}
Tensors backward_jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Tensor &g = cx.inputs[1], &weight = cx.inputs[2], &dx = cx.outputs[0];
  const Rows rows{cx.inputs[0], cx.inputs[3], cx.where};
  const Tensor normal = rows.normal();
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
  return {by_x, y};
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
        "`weight` and `bias` have the shape of those axes and may be left out.",
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
    .laws = {Law{"rank", "`x` has an axis to normalize along"}},
    .infer = rule<row_types<1>>(),
    .grad = grad::rules<vjp, jvp>().except(3, "epsilon is a constant of the model"),
    .batch = batch::broadcasting(),
    .kernel = kernel::row(4, 1, meaning, kEpsilon),
};

constinit const OpDef kLayerNormVjp{
    .name = "layer_norm.vjp",
    .module = "nn",
    .doc =
        "From the cotangent `g` of layer_norm.rows: that of `x`, and the terms of that of "
        "`weight`, which are to be summed over the rows.",
    .inputs = {"x: floating", "g: like x", "weight: like x", "epsilon: float64"},
    .outputs = {"dx: like x", "terms: like x"},
    .laws = {Law{"rank", "`x` has an axis to normalize along"}},
    .infer = rule<row_types<2>>(),
    .grad =
        grad::rules<backward_vjp, backward_jvp>().except(3, "epsilon is a constant of the model"),
    .batch = batch::broadcasting(),
    .kernel = kernel::row(4, 2, vjp_meaning, kEpsilon),
};

namespace nn {

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps,
                  Where where) {
  const int64_t axes = weight.defined() ? weight.rank() : bias.defined() ? bias.rank() : 1;
  return compose(kLayerNorm, inputs(x, weight, bias), LayerNormAttrs{axes, eps}, where);
}

}  // namespace nn
}  // namespace weft
