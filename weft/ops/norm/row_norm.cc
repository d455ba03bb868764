// Shapes of layer_norm and rms_norm, and how their axes become rows.
#include "weft/ops/norm/row_norm.h"

#include "weft/op/decide_shapes.h"

namespace weft::row_norm {

// All inputs broadcast to the rows; epsilon, the last input, has a dtype of its own.
static Type rows_type(const InferCtx& cx, TypeSpan in) {
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
Types vjp_infer(const RowNormVjpAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Type rows = rows_type(cx, in);
  const auto rank = static_cast<int64_t>(rows.shape.size());
  cx.require(0 <= at.keep && at.keep < rank, "keep", "keep is ", at.keep,
             ", but the rows have shape ", rows.shape,
             "; it must be at least 0 and below the rank");
  Type total = rows;
  for (int64_t d = at.keep; d < rank - 1; ++d) total.shape[static_cast<size_t>(d)] = 1;
  return {rows, total, total};
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
static Tensor as_row(const InferCtx& cx, TensorSpan in, size_t i, int64_t axes, double value) {
  if (in.size() <= i || !in[i].defined()) return Tensor(value);
  const ShapeView expected = in[0].shape().last(static_cast<size_t>(axes));
  cx.require(decide_same(in[i].shape(), expected) != Tri::kNo, "affine", i == 1 ? "weight" : "bias",
             " has shape ", in[i].shape(), ", but the last ", axes, " axes of x have shape ",
             expected, "; they must be equal, and axes says how many are normalised");
  return axes == 1 ? in[i] : reshape(in[i], joined(expected, axes));
}

Tensor over_axes(const InferCtx& cx, const OpDef& op, TensorSpan in, const RowNormAttrs& at) {
  cx.require(!in.empty() && in.size() <= 3, "count", "takes 1 to 3 inputs, but got ", in.size());
  const Tensor& x = in[0];
  cx.require(1 <= at.axes && at.axes <= x.rank(), "axes", "axes is ", at.axes, ", but x has shape ",
             x.shape(), "; it must be between 1 and the rank of x");
  const Tensor weight = as_row(cx, in, 1, at.axes, 1.0), bias = as_row(cx, in, 2, at.axes, 0.0);
  const Tensor epsilon = Tensor::scalar(DType::kF64, at.eps);
  const Tensor rows = at.axes == 1 ? x : reshape(x, joined(x.shape(), at.axes));
  const Tensor out = apply(op, inputs(rows, weight, bias, epsilon), kNoAttrs, Where{});
  return at.axes == 1 ? out : reshape(out, Shape(x.shape()));
}

}  // namespace weft::row_norm
