// Samples of linalg.matrix_exp.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

namespace {

// The series of x / 2^10, squared ten times.
Matrix exponential(const Matrix& x) {
  if (!is_finite(x)) return nan_like(x);
  Matrix scaled = x, term = identity(x.rows), out = identity(x.rows);
  for (Complex& v : scaled.values) v /= 1024.0L;
  for (int n = 1; n < 30; ++n) {
    term = term * scaled;
    for (size_t i = 0; i < term.values.size(); ++i) {
      term.values[i] /= static_cast<long double>(n);
      out.values[i] += term.values[i];
    }
  }
  for (int i = 0; i < 10; ++i) out = out * out;
  return out;
}

Arrays reference(const Attrs&, const Arrays& in) {
  return each_matrix(in, [](const Matrices& m) { return Matrices{exponential(m[0])}; });
}

}  // namespace

WEFT_OP_TEST(linalg__matrix_exp) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.sample({in({3, 3}, -1, 1)});
  t.sample({in({2, 2, 2}, -0.1, 0.1)});
  t.sample({exactly({2, 2, 2}, {0, 0, 0, 0, 1, 6, -6, -1})});
  t.sample({in({1, 1})});
  t.sample({in({0, 0})});
  t.sample({in({0, 2, 2})});
  t.large({in({60, 9, 9}, -0.5, 0.5)});
  t.reference(reference);
  t.tolerance(32, "sums of products, and the squares of squares");
  t.error("rank", {in({3})}, "",
          "matrix_exp: a matrix needs at least 2 axes, but the input has shape [3] "
          "[matrix_exp.rank]");
  t.error("square", {in({2, 3})}, "",
          "matrix_exp: a matrix has 2 rows and 3 columns; they must be equal "
          "[matrix_exp.square]");
}
