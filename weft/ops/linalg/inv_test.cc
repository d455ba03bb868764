// Samples of linalg.inv and linalg.inv.or_zero.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs&, const Arrays& in) {
  return each_matrix(
      in, [](const Matrices& m) { return Matrices{solution(m[0], identity(m[0].rows))}; });
}

// The same, and 0 for the matrices of ones that samples have.
static Arrays or_zero_reference(const Attrs&, const Arrays& in) {
  return each_matrix(in, [](const Matrices& m) {
    const Matrix& x = m[0];
    const bool is_singular = x.rows > 1 && x(0, 0) == x(1, 1) && x(0, 1) == x(0, 0);
    return Matrices{is_singular ? Matrix(x.rows, x.rows) : solution(x, identity(x.rows))};
  });
}

WEFT_OP_TEST(linalg__inv) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "strewn zeros make singular matrices, which raise; NaN is tested from Python");
  t.sample({regular({3, 3})});
  t.sample({regular({1, 1}, 3)});
  t.sample({regular({2, 3, 4, 4})});
  t.sample({in({0, 0})});
  t.sample({in({0, 3, 3})});
  t.large({regular({64, 9, 9}, 16)});
  t.large({regular({2, 80, 80}, 100)});
  t.reference(reference);
  t.tolerance(8, "sums of products, divided");
  t.error("rank", {in({3})}, "",
          "inv: a matrix needs at least 2 axes, but the input has shape [3] [inv.rank]");
  t.error("square", {in({2, 3})}, "",
          "inv: a matrix has 2 rows and 3 columns; they must be equal [inv.square]");
  t.error("singular", {exactly({2, 2}, {1, 2, 2, 4})}, "",
          "inv: the matrix is singular: pivot 1 of its elimination is 0; it must have an inverse "
          "[inv.singular]");
}

WEFT_OP_TEST(linalg__inv__or_zero) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "strewn zeros make singular matrices; NaN is tested from Python");
  t.sample({regular({3, 3})});
  t.sample({regular({2, 3, 4, 4})});
  t.kink({exactly({2, 2}, {1, 1, 1, 1})}, "", "all matrices near it have an inverse");
  t.kink({exactly({3, 2, 2}, {1, 2, 0, 4, 1, 1, 1, 1, 3, 0, 1, 1})}, "",
         "all matrices near the second have an inverse");
  t.large({regular({64, 9, 9}, 16)});
  t.reference(or_zero_reference);
  t.tolerance(8, "sums of products, divided");
  t.error("rank", {in({3})}, "",
          "inv.or_zero: a matrix needs at least 2 axes, but the input has shape [3] "
          "[inv.or_zero.rank]");
  t.error("square", {in({2, 3})}, "",
          "inv.or_zero: a matrix has 2 rows and 3 columns; they must be equal "
          "[inv.or_zero.square]");
}
