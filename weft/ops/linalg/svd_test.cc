// Samples of linalg.svd.
#include "weft/ops/linalg/jacobi_reference.h"

using namespace weft::suite;

namespace {

Matrices decomposed(const Matrix& a) {
  const bool wide = a.columns > a.rows;
  const Singular s = singular(wide ? adjoint(a) : a);
  Matrix u = wide ? s.v : s.u, v = wide ? s.u : s.v;
  for (size_t c = 0; c < s.s.size(); ++c) {
    const Complex back = std::conj(phase_of(u, c));
    turn_column(u, c, back);
    turn_column(v, c, back);
  }
  return {u, as_column(s.s), adjoint(v)};
}

// The samples with more vectors than values are those without values.
Arrays reference(const Attrs& at, const Arrays& in) {
  Arrays out = each_matrix(in, [&](const Matrices& m) {
    const bool full = at.get<bool>("full_matrices");
    const size_t k = std::min(m[0].rows, m[0].columns);
    if (full && k == 0) return Matrices{identity(m[0].rows), Matrix(0, 1), identity(m[0].columns)};
    return decomposed(m[0]);
  });
  make_values(out[1]);
  return out;
}

}  // namespace

WEFT_OP_TEST(linalg__svd) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "singular vectors of equal values are any basis; NaN is a case of svdvals");
  t.sample({exactly({3, 3}, {1, 0.5, -0.3, 0.2, 4, 0.7, 0.4, 0.1, -2})});
  t.sample({exactly({3, 2}, {1, 0.5, -0.3, 0.2, 4, 0.7})}, "full_matrices=false");
  t.sample({exactly({2, 4}, {1, 0.5, -0.3, 0.2, 0.7, 2, 4, 0.7})}, "full_matrices=false");
  t.sample({in({2, 2})});
  t.sample({exactly({2, 2, 2}, {1, 0.5, 0.25, 3, -1, 0.5, 0.75, 2})});
  t.sample({in({1, 3})}, "full_matrices=false");
  t.sample({in({0, 0})});
  t.sample({in({3, 0})});
  t.sample({in({0, 2, 2})});
  t.large({in({64, 9, 6})});
  t.large({in({2, 70, 90})}, "full_matrices=false");
  t.reference(reference);
  t.tolerance(16, "the vectors are as accurate as singular values are apart");
  t.error("rank", {in({3})}, "",
          "svd: a matrix needs at least 2 axes, but the input has shape [3] [svd.rank]");
}
