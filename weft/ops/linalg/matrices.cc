// The small maps that linear algebra's gradients are made of, in ordinary ops.
#include "weft/ops/linalg/matrices.h"

#include <algorithm>

#include "weft/op/staged_size.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/parts.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::linalg {

void require_matrix(const InferCtx& cx, const Type& x) {
  cx.require(x.rank() >= 2, "rank", "a matrix needs at least 2 axes, but the input has shape ",
             x.shape);
}

namespace {

void require_square(const InferCtx& cx, const Type& x, Tri (*is_same)(Dim, Dim)) {
  require_matrix(cx, x);
  const Dim rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
  cx.require(is_same(rows, columns) != Tri::kNo, "square", "a matrix has ", rows, " rows and ",
             columns, " columns; they must be equal");
}

}  // namespace

void require_square(const InferCtx& cx, const Type& x) {
  require_square(cx, x, [](Dim a, Dim b) { return same(a, b); });
}

void decide_square(const InferCtx& cx, const Type& x) { require_square(cx, x, decide_same); }

Dim short_side(const InferCtx& cx, const Type& x) {
  require_matrix(cx, x);
  const Dim rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
  return lesser(rows, columns);
}

ShapeView batch_of(ShapeView shape) { return shape.first(shape.size() - 2); }

Shape with_matrix(ShapeView batch, Dim rows, Dim columns) {
  Shape out(batch);
  out.push_back(rows);
  out.push_back(columns);
  return out;
}

Shape with_vector(ShapeView batch, Dim size) {
  Shape out(batch);
  out.push_back(size);
  return out;
}

Tensor computed(const Tensor& x) {
  const DType wide = compute_of(x.dtype());
  return wide == x.dtype() ? x : cast(x, wide);
}

Tensor transposed(const Tensor& x, Where at) {
  Ints axes;
  for (int64_t i = 0; i < x.rank(); ++i) axes.push_back(i);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return permute_dims(x, axes, at);
}

Tensor adjoint(const Tensor& x, Where at) {
  const Tensor t = transposed(x, at);
  return is_complex(x.dtype()) ? conj(t, at) : t;
}

Tensor hermitian(const Tensor& x, Where at) {
  return multiply(add(x, adjoint(x, at), at), 0.5, at);
}

Tensor positions(Dim n, Where at) { return weft::positions(n, DType::kI64, at); }

namespace {

// Row index less column index, of a matrix like x.
Tensor below(const Tensor& x, Where at) {
  const Tensor columns = positions(x.dim(-1), at);
  return subtract(expand_dims(positions(x.dim(-2), at), 1, at), columns, at);
}

// 1 where `side` is positive, 1/2 on the diagonal.
Tensor half_weighted(const Tensor& x, const Tensor& side, Where at) {
  const Tensor doubled = clip(add(sign(side, at), 1, at), 0, 2, at);
  return multiply(x, multiply(cast(doubled, real_of(x.dtype()), at), 0.5, at), at);
}

Tensor range(const Tensor& x, Dim begin, Dim end, bool of_rows, Where at) {
  if (!begin.is_known() || !end.is_known()) return part_of(x, of_rows ? -2 : -1, begin, end, at);
  Index index{IndexItem{.kind = IndexItem::Kind::kEllipsis, .start = {}, .stop = {}}};
  const IndexItem part{
      .kind = IndexItem::Kind::kRange, .start = begin.value(), .stop = end.value()};
  index.push_back(of_rows ? part : IndexItem{});
  index.push_back(of_rows ? IndexItem{} : part);
  return slice(x, index, at);
}

}  // namespace

Tensor lower(const Tensor& x, int64_t k, Where at) {
  return where(greater_equal(below(x, at), -k, at), x, 0, at);
}

Tensor upper(const Tensor& x, int64_t k, Where at) {
  return where(less_equal(below(x, at), -k, at), x, 0, at);
}

Tensor half_lower(const Tensor& x, Where at) { return half_weighted(x, below(x, at), at); }
Tensor half_upper(const Tensor& x, Where at) {
  return half_weighted(x, negative(below(x, at), at), at);
}

Tensor diagonal_matrix(const Tensor& v, Where at) {
  const Tensor wide = expand_dims(v, -1, at);
  const Tensor places = positions(v.dim(-1), at);
  return where(equal(expand_dims(places, 1, at), places, at), wide, 0, at);
}

Tensor rows(const Tensor& x, Dim begin, Dim end, Where at) {
  return range(x, begin, end, true, at);
}
Tensor columns(const Tensor& x, Dim begin, Dim end, Where at) {
  return range(x, begin, end, false, at);
}

}  // namespace weft::linalg
