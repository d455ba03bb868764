// Samples of linalg.det.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

namespace {

Complex determinant(const Matrix& a) {
  if (!is_finite(a)) return {NAN, NAN};
  const Eliminated e(a);
  Complex out = 1;
  for (size_t i = 0; i < a.rows; ++i) out *= e.pivots[i] == i ? e.lu(i, i) : -e.lu(i, i);
  return out;
}

Arrays reference(const Attrs&, const Arrays& in) {
  Arrays out = each_matrix(in, [](const Matrices& m) {
    Matrix one(1, 1);
    one(0, 0) = determinant(m[0]);
    return Matrices{one};
  });
  out[0].shape.resize(out[0].shape.size() - 2);
  return out;
}

}  // namespace

WEFT_OP_TEST(linalg__det) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "singular matrices come out as 0 but for rounding; NaN is a case of lu_factor");
  t.sample({regular({3, 3}, 2)});
  t.sample({exactly({3, 3}, {1, 2, 3, -4, 1.5, 0.5, 2, 5, -1})});
  t.sample({regular({2, 3, 2, 2}, 2)});
  t.sample({in({0, 0})});
  t.large({regular({64, 9, 9}, 1)});
  t.reference(reference);
  t.tolerance(20, "products of pivots, each with its error");
  t.error("rank", {in({3})}, "",
          "det: a matrix needs at least 2 axes, but the input has shape [3] [det.rank]");
  t.error("square", {in({2, 3})}, "",
          "det: a matrix has 2 rows and 3 columns; they must be equal [det.square]");
}
