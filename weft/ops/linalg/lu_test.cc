// Samples of linalg.lu.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs&, const Arrays& in) {
  return each_matrix(in, [](const Matrices& given) {
    const bool finite = is_finite(given[0]);
    const size_t m = given[0].rows, n = given[0].columns, k = std::min(m, n);
    const Eliminated e(finite ? given[0] : Matrix(m, n));
    Matrix p(m, m), l(m, k), u(k, n);
    for (size_t i = 0; i < m; ++i) p(e.permutation[i], i) = 1;
    const Matrix packed = finite ? e.lu : nan_matrix(m, n);
    for (size_t r = 0; r < m; ++r) {
      for (size_t c = 0; c < n; ++c) {
        if (r > c) l(r, c) = packed(r, c);
        if (r <= c) u(r, c) = packed(r, c);
      }
    }
    for (size_t i = 0; i < k; ++i) l(i, i) = 1;
    return Matrices{p, l, u};
  });
}

WEFT_OP_TEST(linalg__lu) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.sample({regular({3, 3})});
  t.sample({exactly({3, 3}, {1, 2, 3, -4, 1.5, 0.5, 2, 5, -1})});
  t.sample({regular({2, 4})});
  t.sample({regular({2, 4, 2})});
  t.sample({in({0, 0})});
  t.large({regular({64, 9, 12}, 16)});
  t.reference(reference);
  t.tolerance(8, "sums of products, divided");
  t.error("rank", {in({3})}, "",
          "lu: a matrix needs at least 2 axes, but the input has shape [3] [lu.rank]");
}
