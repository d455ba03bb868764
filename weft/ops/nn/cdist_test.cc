// Samples of cdist.
#include <algorithm>
#include <cmath>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  const Array &a = in[0], &b = in[1];
  const long double p = at.get<double>("p");
  const int64_t n = a.shape[a.shape.size() - 2], m = b.shape[b.shape.size() - 2];
  const auto length = static_cast<size_t>(a.shape.back());
  std::vector<int64_t> shape = a.shape;
  shape.back() = m;
  Array out = like(a, shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const size_t row = i / static_cast<size_t>(m), column = i % static_cast<size_t>(m);
    const size_t batch = b.shape.size() > 2 ? row / static_cast<size_t>(n) : 0;
    long double total = 0;
    for (size_t k = 0; k < length; ++k) {
      const size_t other = (batch * static_cast<size_t>(m) + column) * length + k;
      const long double d = std::abs(a.values[row * length + k].re - b.values[other].re);
      if (p == 0)
        total += d != 0;
      else if (std::isinf(p))
        total = d > total || d != d ? d : total;
      else
        total += std::pow(d, p);
    }
    out.values[i].re = p == 0 || std::isinf(p) ? total : std::pow(total, 1 / p);
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(nn__cdist) {
  t.skip("zero", "an infinite difference times a cotangent of 0 is NaN");
  t.sample({in({3, 2}), in({4, 2})});
  t.sample({in({2, 3, 2}), in({2, 2, 2})}, "p=1.0");
  t.sample({in({2, 3, 2}), in({2, 2})}, "p=3.0");
  t.sample({distinct({3, 2}), in({2, 2})}, "p=inf");
  t.kink({in({3, 2}), in({4, 2})}, "p=0.0", "a count is piecewise constant");
  t.kink({exactly({1, 2}, {3e25, 4e25}, DType::kF32), exactly({1, 2}, {0, 0}, DType::kF32)}, "",
         "squares beyond the dtype");
  t.kink({exactly({1, 2}, {3e-25, 4e-25}, DType::kF32), exactly({1, 2}, {0, 0}, DType::kF32)}, "",
         "squares below the dtype");
  t.sample({in({3, 0}), in({4, 0})});
  t.sample({in({0, 3}), in({4, 3})});
  t.large({in({100, 8}), in({110, 8})});
  t.reference(reference);
  t.error("p", {in({3, 2}), in({4, 2})}, "p=-1.0",
          "cdist: p is -1.0; it must be at least 0 [cdist.p]");
  t.error("rank", {in({3}), in({4, 2})}, "",
          "cdist: the points have shapes [3] and [4, 2]; they must be [.., points, coordinates] "
          "[cdist.rank]");
  t.error("coordinates", {in({3, 2}), in({4, 3})}, "",
          "cdist: the points have 2 and 3 coordinates; they must have as many "
          "[cdist.coordinates]");
}
