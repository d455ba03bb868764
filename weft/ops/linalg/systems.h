// What solve and solve_triangular share: a matrix on the left, a vector or matrices on the right.
#pragma once

#include "weft/base/function_ref.h"
#include "weft/ops/linalg/matrices.h"

namespace weft::linalg {

// The shape of x in a x = b; raises [op.rank], [op.square], [op.rows] or [op.broadcast].
Shape system_shape(const InferCtx& cx, TypeSpan in);

// Runs `kernel` on matrices of LAPACK's dtypes: a vector b is one column.
void run_system(TensorSpan in, const Tensor& out,
                FunctionRef<void(const Tensor& x, const Tensor& a, const Tensor& b)> kernel);

// a x, of vectors or of matrices.
Tensor product(const Tensor& a, const Tensor& x, bool vectors, Where where);
// `solve` of a right-hand side like the result's: vectors, of which there may be a batch, as
// columns.
Tensor solve_like(const GradCtx& cx, const Tensor& b, FunctionRef<Tensor(const Tensor& b)> solve);
// left right^H, of vectors or of matrices.
Tensor outer_product(const Tensor& left, const Tensor& right, bool vectors, Where where);

// A batch of systems: vectors become columns.
Tensors batched_system(const BatchCtx& cx,
                       FunctionRef<Tensor(const Tensor& a, const Tensor& b)> solve);

}  // namespace weft::linalg
