// Samples of linalg.pinv.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

namespace {

// Of full rank: a^H (a a^H)^-1, or (a^H a)^-1 a^H for a tall matrix.
Matrix pseudo_inverse(const Matrix& a) {
  if (!is_finite(a)) return nan_matrix(a.columns, a.rows);
  const Matrix h = adjoint(a);
  if (a.rows >= a.columns) return solution(h * a, h);
  return adjoint(solution(a * h, a));
}

Arrays reference(const Attrs&, const Arrays& in) {
  return each_matrix(in, [](const Matrices& m) { return Matrices{pseudo_inverse(m[0])}; });
}

}  // namespace

WEFT_OP_TEST(linalg__pinv) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "strewn zeros change the rank; NaN and rank are tested from Python");
  t.sample({regular({3, 3}, 3)});
  t.sample({regular({4, 2}, 3)});
  t.sample({regular({2, 3}, 3)}, "rtol=0.001");
  t.sample({regular({2, 2, 2}, 3)});
  t.sample({in({0, 3})});
  t.sample({in({3, 0})});
  t.large({regular({64, 6, 9}, 9)});
  t.reference(reference);
  t.tolerance(16, "sums of products, divided by singular values");
  t.error("rank", {in({3})}, "",
          "pinv: a matrix needs at least 2 axes, but the input has shape [3] [pinv.rank]");
  t.error("rtol", {in({2, 2})}, "rtol=-1", "pinv: rtol is -1.0; it must be at least 0 [pinv.rtol]");
}
