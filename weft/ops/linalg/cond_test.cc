// Samples of linalg.cond.
#include "weft/ops/linalg/jacobi_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs&, const Arrays& in) {
  Arrays out = each_matrix(in, [](const Matrices& m) {
    const Matrix& a = m[0];
    Matrix one(1, 1);
    if (!is_finite(a)) return Matrices{nan_matrix(1, 1)};
    const std::vector<long double> s = singular(a.columns > a.rows ? adjoint(a) : a).s;
    one(0, 0) = *std::max_element(s.begin(), s.end()) / *std::min_element(s.begin(), s.end());
    return Matrices{one};
  });
  make_values(out[0]);
  out[0].shape.pop_back();
  return out;
}

WEFT_OP_TEST(linalg__cond) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("symbolic", "the shorter side of a matrix is no polynomial of its sizes");
  t.sample({exactly({3, 3}, {1, 0.5, -0.3, 0.2, 4, 0.7, 0.4, 0.1, -2})});
  t.sample({regular({3, 2}, 3)});
  t.sample({exactly({2, 2, 2}, {1, 0.5, 0.25, 3, -1, 0.5, 0.75, 2})});
  t.sample({in({0, 2, 2})});
  t.large({regular({64, 9, 9})});
  t.reference(reference);
  t.tolerance(8, "rotations of sums of products");
  t.error("rank", {in({3})}, "",
          "cond: a matrix needs at least 2 axes, but the input has shape [3] [cond.rank]");
  t.error("empty", {in({2, 0})}, "",
          "cond: x has shape [2, 0]; a matrix without elements has no condition [cond.empty]");
}
