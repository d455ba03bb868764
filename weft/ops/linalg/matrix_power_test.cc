// Samples of linalg.matrix_power.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  return each_matrix(in, [&](const Matrices& m) {
    const auto n = at.get<int64_t>("n");
    Matrix out = identity(m[0].rows);
    for (int64_t i = 0; i < std::abs(n); ++i) out = out * m[0];
    return Matrices{n < 0 ? solution(out, identity(m[0].rows)) : out};
  });
}

WEFT_OP_TEST(linalg__matrix_power) {
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.skip("special", "infinities in sums of products, which matmul tests");
  t.sums_batches_elsewhere(
      "a matrix that is used several times: its gradients meet in another order");
  t.sample({in({3, 3}, -1, 1)}, "n=5");
  t.sample({in({2, 2, 2}, -1, 1)}, "n=1");
  t.sample({in({2, 2}, -1, 1)}, "n=0");
  t.sample({regular({3, 3}, 3)}, "n=-2");
  t.sample({in({0, 0})}, "n=3");
  t.large({in({60, 9, 9}, -0.5, 0.5)}, "n=7");
  t.reference(reference);
  t.tolerance(16, "sums of products of sums of products");
  t.error("rank", {in({3})}, "n=2",
          "matrix_power: a matrix needs at least 2 axes, but the input has shape [3] "
          "[matrix_power.rank]");
  t.error("square", {in({2, 3})}, "n=2",
          "matrix_power: a matrix has 2 rows and 3 columns; they must be equal "
          "[matrix_power.square]");
}
