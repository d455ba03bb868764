// What layer_norm and rms_norm share: rows brought to variance 1, with or without their mean taken
// off, then scaled and shifted; and their derivatives to any order.
#pragma once

#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/sum_of.h"
#include "weft/ops/norm/norm.h"
#include "weft/ops/reduce/reduce.h"

namespace weft::row_norm {

// The two ops of a norm: of the rows, and of their cotangents.
struct RowNorm {
  const OpDef& rows;
  const OpDef& vjp;
  bool is_centred;
};

// Raises [op.rank], [op.row], [op.keep].
Types rows_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in);
Types vjp_infer(const RowNormVjpAttrs& at, const InferCtx& cx, TypeSpan in);

// The shape with its last `axes` axes joined to one.
Shape joined(ShapeView shape, int64_t axes);
// A norm over the last `axes` axes of in[0] by its op of rows, with weight and bias in[1] and in[2]
// or none; raises [op.count], [op.axes], [op.affine].
Tensor over_axes(const InferCtx& cx, const OpDef& rows, TensorSpan in, const RowNormAttrs& at);

inline constexpr uint32_t kEpsilon = 1u << 3;  // the input that is one number for the whole row

struct Row {
  Expr length, scale, centred, normal;
};

// What both kernels need of a row: 1 / sqrt(variance + epsilon), and the normalized elements.
inline Row row_of(Expr x, Expr epsilon, bool is_centred) {
  const Expr length = cast(Expr::row_length(), x.dtype());
  const Expr centred = is_centred ? x - row_sum(x) / length : x;
  const Expr variance = row_sum(centred * centred) / length;
  const Expr scale = rsqrt(variance + cast(epsilon, x.dtype()));
  return {length, scale, centred, centred * scale};
}

template <bool IsCentred>
void meaning(const Expr* in, Expr* out) {
  out[0] = row_of(in[0], in[3], IsCentred).normal * in[1] + in[2];
}

// With h = g * weight: scale * (h - mean(h) - normal * mean(h * normal)), without mean(h) if rows
// are not centred. Summed over the rows, g * normal is the cotangent of weight and g that of bias.
template <bool IsCentred>
void vjp_meaning(const Expr* in, Expr* out) {
  const Row row = row_of(in[0], in[3], IsCentred);
  const Expr g = in[1], h = g * in[2];
  // Of the centred elements, not the normal ones: these need the variance, which is a pass more.
  const Expr mean = row_sum(h) / row.length;
  const Expr along = row.scale * (row_sum(h * row.centred) / row.length);
  const Expr shifted = IsCentred ? h - mean : h;
  out[0] = row.scale * (shifted - row.normal * along);
  out[1] = g * row.normal;
  out[2] = g;
}
inline constexpr uint32_t kSummed = 0b110;

// The same quantities on tensors, for tangents and for gradients of gradients. `project` is the
// derivative of `normal` by x: linear, and its own transpose.
template <const RowNorm& Norm>
struct Rows {
  Tensor x, epsilon;
  Where where;

  Tensor mean(const Tensor& t) const { return weft::mean(t, Ints{-1}, true, where); }
  Tensor normal() const { return apply(Norm.rows, inputs(x, one, zero, epsilon), kNoAttrs, where); }
  Tensor project(const Tensor& t) const {
    return apply_all(Norm.vjp, inputs(x, t, one, epsilon), RowNormVjpAttrs{}, where)[0];
  }
  Tensor scale() const {
    const Tensor variance = mean(square(Norm.is_centred ? x - mean(x) : x, where));
    return rsqrt(variance + cast(epsilon, x.dtype(), where), where);
  }

  const Tensor one{1.0}, zero{0.0};
};

// How many of the first of `rank` axes the input has itself: its cotangent keeps them.
inline int64_t own_axes(const Tensor& x, int64_t rank) {
  const int64_t before = rank - x.rank();
  for (int64_t d = x.rank() - 2; d >= 0; --d) {
    if (!(x.dim(d) == Dim(1))) return before + d + 1;
  }
  return 0;
}

template <const RowNorm& Norm>
Tensors rows_vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor &x = cx.inputs[0], &weight = cx.inputs[1], &bias = cx.inputs[2];
  const int64_t rank = g[0].rank();
  const RowNormVjpAttrs at{std::max(own_axes(weight, rank), own_axes(bias, rank))};
  const Tensors all = apply_all(Norm.vjp, inputs(x, g[0], weight, cx.inputs[3]), at, cx.where);
  return {all[0], all[1], all[2], Tensor()};
}
template <const RowNorm& Norm>
Tensors rows_jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Rows<Norm> rows{cx.inputs[0], cx.inputs[3], cx.where};
  Tensor out = t[2];
  if (t[0].defined()) out = sum_of(out, rows.project(t[0]) * cx.inputs[1]);
  if (t[1].defined()) out = sum_of(out, rows.normal() * t[1]);
  if (out.defined()) out = broadcast_to(out, Shape(cx.outputs[0].shape()), cx.where);
  return {out};
}

// Summed as the op sums its terms.
inline Tensor total(const Tensor& terms, const RowNormVjpAttrs& at, Where where) {
  Ints axes;
  for (int64_t d = at.keep; d + 1 < terms.rank(); ++d) axes.push_back(d);
  return axes.empty() ? terms : sum(terms, axes, true, where);
}

// Of dx = project(h), the sum of g * normal and the sum of g, with h = g * weight.
template <const RowNorm& Norm>
Tensors rows_backward_vjp(const RowNormVjpAttrs&, const GradCtx& cx, TensorSpan cotangents) {
  const Tensor &g = cx.inputs[1], &weight = cx.inputs[2], &dx = cx.outputs[0], &u = cotangents[0];
  const Rows<Norm> rows{cx.inputs[0], cx.inputs[3], cx.where};
  const Shape full(dx.shape());
  const Tensor normal = rows.normal();
  Tensor by_x, by_g, by_weight;
  if (u.defined()) {
    const Tensor pu = rows.project(u);
    const Tensor by_normal = dx * rows.mean(u * normal);
    const Tensor by_project = pu * rows.mean(g * weight * normal);
    const Tensor all = normal * rows.mean(u * dx) + by_project + by_normal;
    by_x = -rows.scale() * all;
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
template <const RowNorm& Norm>
Tensors rows_backward_jvp(const RowNormVjpAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Tensor &g = cx.inputs[1], &weight = cx.inputs[2], &dx = cx.outputs[0];
  const Rows<Norm> rows{cx.inputs[0], cx.inputs[3], cx.where};
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
    const Tensor by_turn = normal * rows.mean(h * turned);
    const Tensor by_normal = turned * rows.mean(h * normal);
    const Tensor all = dx * rows.mean(normal * t[0]) + by_normal + by_turn;
    by_x = -rows.scale() * all;
    y = sum_of(y, g * turned);
  }
  if (change_of_h.defined()) by_x = sum_of(by_x, rows.project(change_of_h));
  return {by_x, summed(y), summed(t[1])};
}

// The batch axis is one more that is kept; behind it, inputs of lower rank get axes of size 1.
template <const RowNorm& Norm>
Tensors rows_backward_batch(const RowNormVjpAttrs& at, const BatchCtx& cx) {
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
  return apply_all(Norm.vjp, in, RowNormVjpAttrs{at.keep + 1}, cx.where);
}

}  // namespace weft::row_norm
