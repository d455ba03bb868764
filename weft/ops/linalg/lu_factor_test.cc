// Samples of linalg.lu_factor.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

namespace {

Array of_integers(const Array& like, size_t size) {
  Array out{DType::kI64, like.shape, {}};
  out.shape.pop_back();
  out.shape.back() = static_cast<int64_t>(size);
  return out;
}

Arrays reference(const Attrs&, const Arrays& in) {
  const Array& x = in[0];
  const auto m = static_cast<size_t>(x.shape[x.shape.size() - 2]);
  const auto n = static_cast<size_t>(x.shape.back());
  Array pivots = of_integers(x, std::min(m, n)), permutation = of_integers(x, m);
  Arrays out = each_matrix(in, [&](const Matrices& given) {
    const bool finite = is_finite(given[0]);
    const Eliminated e(finite ? given[0] : Matrix(m, n));
    for (size_t i : e.pivots) pivots.values.push_back({0, 0, static_cast<int64_t>(i)});
    for (size_t i : e.permutation) permutation.values.push_back({0, 0, static_cast<int64_t>(i)});
    return Matrices{finite ? e.lu : nan_matrix(m, n)};
  });
  pivots.values.resize(static_cast<size_t>(count(pivots.shape)));
  permutation.values.resize(static_cast<size_t>(count(permutation.shape)));
  return {out[0], pivots, permutation};
}

}  // namespace

WEFT_OP_TEST(linalg__lu_factor) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.sample({regular({3, 3})});
  t.sample({exactly({3, 3}, {1, 2, 3, -4, 1.5, 0.5, 2, 5, -1})});
  t.sample({regular({2, 4})});
  t.sample({regular({4, 2})});
  t.sample({regular({2, 2, 3, 3})});
  t.sample({in({0, 0})});
  t.sample({in({0, 2, 3})});
  t.large({regular({64, 9, 12}, 16)});
  t.reference(reference);
  t.tolerance(8, "sums of products, divided");
  t.error("rank", {in({3})}, "",
          "lu_factor: a matrix needs at least 2 axes, but the input has shape [3] "
          "[lu_factor.rank]");
}
