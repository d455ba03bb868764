// Samples of linalg.qr.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

namespace {

// Gram and Schmidt, twice for each column: in long double as good as reflections.
Matrices orthonormal(const Matrix& a, size_t wide) {
  const size_t m = a.rows, n = a.columns, k = std::min(m, n);
  Matrix q(m, wide), r(wide, n);
  for (size_t c = 0; c < wide; ++c) {
    // The further columns of a complete q: only m = n + 1 has a unique one, up to its sign.
    for (size_t i = 0; i < m; ++i) q(i, c) = c < k ? a(i, c) : Complex(i == m - 1 ? 1 : 0);
    for (int pass = 0; pass < 2; ++pass) {
      for (size_t j = 0; j < c; ++j) {
        Complex along = 0;
        for (size_t i = 0; i < m; ++i) along += std::conj(q(i, j)) * q(i, c);
        for (size_t i = 0; i < m; ++i) q(i, c) -= along * q(i, j);
      }
    }
    long double size = 0;
    for (size_t i = 0; i < m; ++i) size += std::norm(q(i, c));
    for (size_t i = 0; i < m; ++i) q(i, c) /= std::sqrt(size);
  }
  for (size_t i = 0; i < k; ++i) {
    for (size_t c = i; c < n; ++c) {
      for (size_t j = 0; j < m; ++j) r(i, c) += std::conj(q(j, i)) * a(j, c);
    }
  }
  return {q, r};
}

Arrays reference(const Attrs& at, const Arrays& in) {
  return each_matrix(in, [&](const Matrices& given) {
    const Matrix& a = given[0];
    const bool complete = at.get<std::string>("mode") == "complete";
    const size_t wide = complete ? a.rows : std::min(a.rows, a.columns);
    if (!is_finite(a)) return Matrices{nan_matrix(a.rows, wide), nan_matrix(wide, a.columns)};
    return orthonormal(a, wide);
  });
}

}  // namespace

WEFT_OP_TEST(linalg__qr) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "columns that are dependent but for rounding have any direction");
  t.sample({regular({3, 3}, 3)});
  t.sample({in({4, 2})});
  t.sample({regular({2, 4}, 3)});
  t.sample({in({2, 3, 2})});
  t.sample({regular({3, 3}, 3)}, "mode=\"complete\"");
  t.sample({regular({2, 3}, 3)}, "mode=\"complete\"");
  t.sample({in({0, 0})});
  t.sample({in({3, 0})});
  t.sample({in({0, 3, 2})});
  t.large({regular({64, 9, 6}, 3)});
  t.large({in({70, 100})}, "mode=\"complete\"");
  t.reference(reference);
  t.tolerance(8, "sums of products, divided");
  t.error("rank", {in({3})}, "",
          "qr: a matrix needs at least 2 axes, but the input has shape [3] [qr.rank]");
  t.error("mode", {in({2, 2})}, "mode=\"raw\"",
          "qr: mode is 'raw'; it must be 'reduced' or 'complete' [qr.mode]");
}
