// Samples of linalg.eigvalsh.
#include "weft/ops/linalg/jacobi_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs&, const Arrays& in) {
  Arrays out = each_matrix(in, [](const Matrices& m) {
    if (!is_finite(m[0])) return Matrices{nan_matrix(m[0].rows, 1)};
    return Matrices{as_column(eigen(m[0]).s)};
  });
  make_values(out[0]);
  return out;
}

WEFT_OP_TEST(linalg__eigvalsh) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.sample({exactly({3, 3}, {1, 0.5, -0.3, 0.2, 4, 0.7, 0.4, 0.1, -2})});
  t.sample({in({2, 2})});
  t.sample({exactly({2, 2, 2}, {1, 0.5, 0.25, 3, -1, 0.5, 0.75, 2})});
  t.sample({in({0, 0})});
  t.sample({in({0, 2, 2})});
  t.large({in({64, 9, 9})});
  t.reference(reference);
  t.tolerance(8, "rotations of sums of products");
  t.error("rank", {in({3})}, "",
          "eigvalsh: a matrix needs at least 2 axes, but the input has shape [3] [eigvalsh.rank]");
  t.error("square", {in({2, 3})}, "",
          "eigvalsh: a matrix has 2 rows and 3 columns; they must be equal [eigvalsh.square]");
}
