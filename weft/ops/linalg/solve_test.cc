// Samples of linalg.solve.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs&, const Arrays& in) {
  Arrays given = in;
  const bool is_vector = in[1].shape.size() == 1;
  if (is_vector) given[1].shape.push_back(1);
  Arrays out = each_matrix(given, [](const Matrices& m) { return Matrices{solution(m[0], m[1])}; });
  if (is_vector) out[0].shape.pop_back();
  return out;
}

WEFT_OP_TEST(linalg__solve) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "strewn zeros make singular matrices, which raise; NaN is tested from Python");
  t.sums_batches_elsewhere("the gradient of a matrix that a batch shares is a product");
  t.sample({regular({3, 3}), in({3, 2})});
  t.sample({regular({3, 3}, -4), in({3})});
  t.sample({regular({2, 1, 2, 2}), in({3, 2, 2})});
  t.sample({regular({2, 2}), in({3, 2, 1})});
  t.sample({regular({2, 2, 2}), in({2})});
  t.sample({in({0, 0}), in({0, 2})});
  t.sample({regular({2, 2}), in({2, 0})});
  t.large({regular({50, 12, 12}, 30), in({50, 12, 9})});
  t.reference(reference);
  t.tolerance(8, "sums of products, divided");
  t.error("rank", {in({3}), in({3})}, "",
          "solve: a matrix needs at least 2 axes, but the input has shape [3] [solve.rank]");
  t.error("rank", {in({3, 3}), in({})}, "",
          "solve: b has rank 0; it must be a vector or a matrix [solve.rank]");
  t.error("square", {in({2, 3}), in({3})}, "",
          "solve: a matrix has 2 rows and 3 columns; they must be equal [solve.square]");
  t.error("rows", {in({3, 3}), in({2})}, "",
          "solve: a has 3 rows but b has 2; they must be equal [solve.rows]");
  t.error("singular", {exactly({2, 2}, {1, 2, 2, 4}), in({2})}, "",
          "solve: the matrix is singular: pivot 1 of its elimination is 0; it must have an inverse "
          "[solve.singular]");
  t.error("singular", {exactly({3, 1, 1}, {1, 2, 0}), in({1})}, "",
          "solve: matrix [2] of the batch is singular: pivot 0 of its elimination is 0; it must "
          "have an inverse [solve.singular]");
}
