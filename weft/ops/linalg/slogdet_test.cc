// Samples of linalg.slogdet.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs&, const Arrays& in) {
  Arrays out = each_matrix(in, [](const Matrices& m) {
    const Eliminated e(m[0]);
    Matrix sign(1, 1), log_size(1, 1);
    sign(0, 0) = 1;
    for (size_t i = 0; i < m[0].rows; ++i) {
      const long double size = std::abs(e.lu(i, i));
      sign(0, 0) *= (e.pivots[i] == i ? e.lu(i, i) : -e.lu(i, i)) / size;
      log_size(0, 0) += std::log(size);
    }
    return Matrices{sign, log_size};
  });
  for (Array& x : out) x.shape.resize(x.shape.size() - 2);
  const bool is_complex = in[0].dtype == DType::kC64 || in[0].dtype == DType::kC128;
  if (is_complex) out[1].dtype = in[0].dtype == DType::kC64 ? DType::kF32 : DType::kF64;
  return out;
}

}  // namespace

WEFT_OP_TEST(linalg__slogdet) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "singular matrices come out as 0 but for rounding; NaN is a case of lu_factor");
  t.sample({regular({3, 3}, 2)});
  t.sample({exactly({3, 3}, {1, 2, 3, -4, 1.5, 0.5, 2, 5, -1})});
  t.sample({regular({2, 3, 2, 2}, 2)});
  t.sample({in({0, 0})});
  t.large({regular({64, 9, 9}, 1)});
  t.reference(reference);
  t.tolerance(8, "sums of logarithms of pivots, each with its error");
  t.error("rank", {in({3})}, "",
          "slogdet: a matrix needs at least 2 axes, but the input has shape [3] [slogdet.rank]");
  t.error("square", {in({2, 3})}, "",
          "slogdet: a matrix has 2 rows and 3 columns; they must be equal [slogdet.square]");
}
