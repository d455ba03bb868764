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

// Determinants without a row and a column, with the signs of a chessboard.
Arrays cofactor_reference(const Attrs&, const Arrays& in) {
  return each_matrix(in, [](const Matrices& m) {
    const size_t n = m[0].rows;
    Matrix out(n, n);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        Matrix minor(n - 1, n - 1);
        for (size_t r = 0; r + 1 < n; ++r) {
          for (size_t c = 0; c + 1 < n; ++c) minor(r, c) = m[0](r + (r >= i), c + (c >= j));
        }
        out(i, j) = (i + j) % 2 == 0 ? determinant(minor) : -determinant(minor);
      }
    }
    return Matrices{out};
  });
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

WEFT_OP_TEST(linalg__det__value) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "singular matrices come out as 0 but for rounding; NaN is a case of lu_factor");
  t.sample({regular({3, 3}, 2)});
  t.sample({regular({2, 3, 2, 2}, 2)});
  t.large({regular({64, 9, 9}, 1)});
  t.reference(reference);
  t.tolerance(20, "products of pivots, each with its error");
  t.error(
      "rank", {in({3})}, "",
      "det.value: a matrix needs at least 2 axes, but the input has shape [3] [det.value.rank]");
  t.error("square", {in({2, 3})}, "",
          "det.value: a matrix has 2 rows and 3 columns; they must be equal [det.value.square]");
}

WEFT_OP_TEST(linalg__det__cofactors) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "a singular matrix has no second derivative; NaN is a case of svd");
  t.sample({regular({3, 3}, 2)});
  t.sample({regular({2, 4, 4}, 2)});
  t.sample({in({1, 1}, 1, 2)});
  t.large({regular({64, 6, 6}, 1)});
  t.reference(cofactor_reference);
  t.tolerance(50, "products of singular values, each with its error");
  t.error("rank", {in({3})}, "",
          "det.cofactors: a matrix needs at least 2 axes, but the input has shape [3] "
          "[det.cofactors.rank]");
  t.error("square", {in({2, 3})}, "",
          "det.cofactors: a matrix has 2 rows and 3 columns; they must be equal "
          "[det.cofactors.square]");
}
