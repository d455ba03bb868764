// Factorisations of batches of matrices by LAPACK: what bind.cc gives the ids of core/native.h.
//
// Inputs are f32, f64, c64 or c128 with any strides; outputs are contiguous. A matrix with a NaN or
// an infinity is not given to LAPACK: what belongs to it becomes NaN.
#pragma once

#include "weft/core/native.h"

namespace weft::kernels::lapack {

void cholesky(const Tensor& out, const Tensor& a, bool upper, Blame blame);
void solve_triangular(const Tensor& out, const Tensor& a, const Tensor& b, TriangularSolve how,
                      Blame blame);
void lu(const Tensor& lu, const Tensor& pivots, const Tensor& permutation, const Tensor& a,
        Blame blame);
void solve(const Tensor& out, const Tensor& a, const Tensor& b, Blame blame);
void inv(const Tensor& out, const Tensor& a, Blame blame);
void qr(const Tensor& q, const Tensor& r, const Tensor& a, Blame blame);
void eigh(const Tensor& values, const Tensor& vectors, const Tensor& a, Blame blame);
void svd(const Tensor& s, const Tensor& u, const Tensor& vh, const Tensor& a, Blame blame);

}  // namespace weft::kernels::lapack
