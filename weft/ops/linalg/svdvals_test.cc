// Samples of linalg.svdvals.
#include "weft/ops/linalg/jacobi_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs&, const Arrays& in) {
  Arrays out = each_matrix(in, [](const Matrices& m) {
    const Matrix& a = m[0];
    if (!is_finite(a)) return Matrices{nan_matrix(std::min(a.rows, a.columns), 1)};
    return Matrices{as_column(singular(a.columns > a.rows ? adjoint(a) : a).s)};
  });
  make_values(out[0]);
  return out;
}

WEFT_OP_TEST(linalg__svdvals) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.sample({exactly({3, 3}, {1, 0.5, -0.3, 0.2, 4, 0.7, 0.4, 0.1, -2})});
  t.sample({in({3, 2})});
  t.sample({in({2, 4})});
  t.sample({exactly({2, 2, 2}, {1, 0.5, 0.25, 3, -1, 0.5, 0.75, 2})});
  t.sample({in({0, 0})});
  t.sample({in({3, 0})});
  t.sample({in({0, 2, 2})});
  t.large({in({64, 9, 9})});
  t.reference(reference);
  t.tolerance(8, "rotations of sums of products");
  t.error("rank", {in({3})}, "",
          "svdvals: a matrix needs at least 2 axes, but the input has shape [3] [svdvals.rank]");
}
