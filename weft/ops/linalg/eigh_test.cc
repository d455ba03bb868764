// Samples of linalg.eigh.
#include "weft/ops/linalg/jacobi_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs&, const Arrays& in) {
  Arrays out = each_matrix(in, [](const Matrices& m) {
    const size_t n = m[0].rows;
    if (!is_finite(m[0])) return Matrices{nan_matrix(n, 1), nan_matrix(n, n)};
    const Singular e = eigen(m[0]);
    return Matrices{as_column(e.s), e.v};
  });
  make_values(out[0]);
  return out;
}

WEFT_OP_TEST(linalg__eigh) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "eigenvectors of equal eigenvalues are any basis; NaN is a case of eigvalsh");
  t.sample({exactly({3, 3}, {1, 0.5, -0.3, 0.2, 4, 0.7, 0.4, 0.1, -2})});
  t.sample({regular({2, 2}, 0)});
  t.sample({exactly({2, 2, 2}, {1, 0.5, 0.25, 3, -1, 0.5, 0.75, 2})});
  t.sample({in({1, 1})});
  t.sample({in({0, 0})});
  t.sample({in({0, 2, 2})});
  t.large({in({64, 9, 9})});
  t.large({in({2, 70, 70})});
  t.reference(reference);
  t.tolerance(16, "the vectors are as accurate as eigenvalues are apart");
  t.error("rank", {in({3})}, "",
          "eigh: a matrix needs at least 2 axes, but the input has shape [3] [eigh.rank]");
  t.error("square", {in({2, 3})}, "",
          "eigh: a matrix has 2 rows and 3 columns; they must be equal [eigh.square]");
}
