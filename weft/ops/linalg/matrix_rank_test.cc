// Samples of linalg.matrix_rank.
#include "weft/ops/linalg/jacobi_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const double rtol = at.get<std::optional<double>>("rtol").value_or(1e-4);
  Arrays out = each_matrix(in, [&](const Matrices& m) {
    Matrix rank(1, 1);
    if (!is_finite(m[0])) return Matrices{rank};
    const Singular a = singular(m[0].columns > m[0].rows ? adjoint(m[0]) : m[0]);
    for (long double s : a.s) rank(0, 0) += s > rtol * a.s[0] ? 1 : 0;
    return Matrices{rank};
  });
  out[0].dtype = DType::kI64;
  out[0].shape.resize(out[0].shape.size() - 2);
  for (ScalarValue& v : out[0].values) v = {0, 0, static_cast<int64_t>(v.re)};
  return out;
}

WEFT_OP_TEST(linalg__matrix_rank) {
  t.skip("symbolic", "the bound depends on the longer side, which is no polynomial of its sizes");
  t.sample({regular({3, 3})});
  t.sample({exactly({3, 3}, {1, 2, 3, 2, 4, 6, 1, 0, 1})});
  t.sample({exactly({2, 2, 2}, {0, 0, 0, 0, 1, 0, 0, 0.25})});
  t.sample({exactly({2, 2}, {1, 0, 0, 0.25})}, "rtol=0.5");
  t.sample({in({2, 4})});
  t.sample({in({0, 3})});
  t.large({in({64, 9, 9})});
  t.reference(reference);
  t.error("rank", {in({3})}, "",
          "matrix_rank: a matrix needs at least 2 axes, but the input has shape [3] "
          "[matrix_rank.rank]");
  t.error("rtol", {in({2, 2})}, "rtol=-1",
          "matrix_rank: rtol is -1.0; it must be at least 0 [matrix_rank.rtol]");
}
