// What the ops of linalg/ share: laws on matrices, and the small maps their gradients are made of.
#pragma once

#include "weft/op/apply.h"

namespace weft::linalg {

// Raises [op.rank] unless x is a matrix or a batch of them.
void require_matrix(const InferCtx& cx, const Type& x);
// Raises [op.rank] or [op.square].
void require_square(const InferCtx& cx, const Type& x);
// The same for composites whose ops accept any matrix: a trace decides it by the traced sizes, and
// records the assumption.
void decide_square(const InferCtx& cx, const Type& x);
// The lesser of the two sizes of a matrix.
Dim short_side(const InferCtx& cx, const Type& x);
// The shape of a batch: all axes but the last two.
ShapeView batch_of(ShapeView shape);
Shape with_matrix(ShapeView batch, Dim rows, Dim columns);
Shape with_vector(ShapeView batch, Dim size);

// What LAPACK works on: half floats are computed in float32, and results are rounded once.
Tensor computed(const Tensor& x);

// x^T, x^H and (x + x^H) / 2 of the last two axes.
Tensor transposed(const Tensor& x, Where where);
Tensor adjoint(const Tensor& x, Where where);
Tensor hermitian(const Tensor& x, Where where);

// 0, 1, .., n - 1 (i64), for a size that only a graph will know, too.
Tensor positions(Dim n, Where where);
// The elements on and below diagonal k, or on and above it; 0 elsewhere.
Tensor lower(const Tensor& x, int64_t k, Where where);
Tensor upper(const Tensor& x, int64_t k, Where where);
// The lower (upper) triangle with half of the diagonal: the part L of L + L^H = x.
Tensor half_lower(const Tensor& x, Where where);
Tensor half_upper(const Tensor& x, Where where);
// A vector as the diagonal of a matrix of zeros.
Tensor diagonal_matrix(const Tensor& v, Where where);
// The rows, or columns, from `begin` to before `end`.
Tensor rows(const Tensor& x, Dim begin, Dim end, Where where);
Tensor columns(const Tensor& x, Dim begin, Dim end, Where where);

}  // namespace weft::linalg
