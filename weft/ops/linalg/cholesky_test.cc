// Samples of linalg.cholesky.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

namespace {

// l[j, j] = sqrt(a[j, j] - sum |l[j, k]|^2), and below it the rest of the column.
Matrix factor(const Matrix& given) {
  const Matrix a = hermitian(given);
  Matrix l(a.rows, a.columns);
  for (size_t j = 0; j < a.rows; ++j) {
    for (size_t i = j; i < a.rows; ++i) {
      Complex sum = a(i, j);
      for (size_t k = 0; k < j; ++k) sum -= l(i, k) * std::conj(l(j, k));
      l(i, j) = i == j ? Complex(std::sqrt(sum.real())) : sum / l(j, j);
    }
  }
  return l;
}

Arrays reference(const Attrs& at, const Arrays& in) {
  return each_matrix(in, [&](const std::vector<Matrix>& m) {
    if (!is_finite(m[0])) return Matrices{nan_like(m[0])};
    return Matrices{at.get<bool>("upper") ? adjoint(factor(m[0])) : factor(m[0])};
  });
}

}  // namespace

WEFT_OP_TEST(linalg__cholesky) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special",
         "strewn zeros and signs make matrices that are not positive definite, which raise; NaN is "
         "tested from Python");
  t.sample({regular({3, 3})});
  t.sample({regular({3, 3})}, "upper=true");
  t.sample({regular({1, 1})});
  t.sample({regular({2, 2, 4, 4}, 8)});
  t.sample({in({0, 0})});
  t.sample({in({2, 0, 0})});
  t.sample({in({0, 3, 3})});
  t.large({regular({64, 9, 9}, 16)});
  t.large({regular({3, 70, 70}, 100)});
  t.reference(reference);
  t.tolerance(8, "sums of products, then a square root");
  t.error("rank", {in({3})}, "",
          "cholesky: a matrix needs at least 2 axes, but the input has shape [3] [cholesky.rank]");
  t.error("square", {in({2, 3})}, "",
          "cholesky: a matrix has 2 rows and 3 columns; they must be equal [cholesky.square]");
  t.error("positive", {exactly({2, 2}, {1, 2, 2, 1})}, "",
          "cholesky: the matrix is not positive definite: its leading 2 x 2 part is not; all "
          "eigenvalues must be positive [cholesky.positive]");
  t.error("positive", {exactly({1, 2, 1, 1}, {1, -1})}, "",
          "cholesky: matrix [0, 1] of the batch is not positive definite: its leading 1 x 1 part "
          "is not; all eigenvalues must be positive [cholesky.positive]");
}
