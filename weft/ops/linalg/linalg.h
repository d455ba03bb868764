// Linear algebra: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

Tensor matmul(const Tensor& a, const Tensor& b, Where where = Where::here());

Tensor diagonal(const Tensor& x, int64_t offset = 0, Where where = Where::here());
Tensor trace(const Tensor& x, int64_t offset = 0, std::optional<DType> dtype = {},
             Where where = Where::here());
Tensor outer(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor vecdot(const Tensor& a, const Tensor& b, int64_t axis = -1, Where where = Where::here());
Tensor tensordot(const Tensor& a, const Tensor& b, const Ints& axes_a, const Ints& axes_b,
                 Where where = Where::here());
Tensor cross(const Tensor& a, const Tensor& b, int64_t axis = -1, Where where = Where::here());

namespace linalg {

Tensor cholesky(const Tensor& x, bool upper = false, Where where = Where::here());
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper = false, bool adjoint = false,
                        bool unit_diagonal = false, Where where = Where::here());
Tensor solve(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor inv(const Tensor& x, Where where = Where::here());
Tensors lu_factor(const Tensor& x, Where where = Where::here());  // lu, pivots, permutation
Tensors lu(const Tensor& x, Where where = Where::here());         // p, l, u
Tensor det(const Tensor& x, Where where = Where::here());
Tensors slogdet(const Tensor& x, Where where = Where::here());  // sign, logabsdet
Tensors qr(const Tensor& x, const std::string& mode = "reduced", Where where = Where::here());
Tensors eigh(const Tensor& x, Where where = Where::here());  // eigenvalues, eigenvectors
Tensor eigvalsh(const Tensor& x, Where where = Where::here());
Tensors svd(const Tensor& x, bool full_matrices = true, Where where = Where::here());  // u, s, vh
Tensor svdvals(const Tensor& x, Where where = Where::here());
Tensor pinv(const Tensor& x, std::optional<double> rtol = {}, Where where = Where::here());
Tensor matrix_rank(const Tensor& x, std::optional<double> rtol = {}, Where where = Where::here());
// solution, residuals, rank, singular values
Tensors lstsq(const Tensor& a, const Tensor& b, std::optional<double> rtol = {},
              Where where = Where::here());
Tensor matrix_power(const Tensor& x, int64_t n, Where where = Where::here());
Tensor matrix_exp(const Tensor& x, Where where = Where::here());
Tensor vector_norm(const Tensor& x, std::optional<Ints> axis = {}, double ord = 2,
                   bool keepdims = false, Where where = Where::here());
Tensor matrix_norm(const Tensor& x, const std::string& ord = "fro", bool keepdims = false,
                   Where where = Where::here());

// 1 for an even number of exchanges, -1 for an odd one.
Tensor exchange_sign(const Tensor& pivots, DType dtype);

}  // namespace linalg

extern const OpDef kMatmul, kCholesky, kSolveTriangular, kSolve, kInv, kLuFactor, kDiagonal, kQr,
    kEigh, kEigvalsh, kSvd, kSvdvals, kPinv, kMatrixExp;
extern const CompositeDef kLu, kDet, kSlogdet, kMatrixRank, kLstsq, kMatrixPower, kVectorNorm,
    kMatrixNorm, kTrace, kOuter, kVecdot, kTensordot, kCross;

}  // namespace weft
