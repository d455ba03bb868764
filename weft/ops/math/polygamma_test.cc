// Samples of polygamma.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

// The plain sum, 4000 terms of it, and the integral of the rest.
long double plain(int64_t n, long double x) {
  if (std::isnan(x) || (std::isinf(x) && x < 0)) return NAN;
  if (std::isinf(x)) return n % 2 == 0 ? -0.0L : 0.0L;
  if (x == 0) return n % 2 == 0 ? std::copysign(HUGE_VALL, -x) : HUGE_VALL;
  const auto s = static_cast<long double>(n) + 1;
  long double sum = 0;
  for (int k = 3999; k >= 0; --k) sum += 1 / std::pow(x + k, s);
  const long double far = x + 4000 - 0.5L;
  sum += std::pow(far, -s + 1) / (s - 1) - s * std::pow(far, -s - 1) / 24;
  return (n % 2 == 0 ? -1 : 1) * std::tgamma(s) * sum;
}

Arrays reference(const Attrs& at, const Arrays& in) {
  Array out = like(in[0], in[0].shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i] = stored_as(out.dtype, {plain(at.get<int64_t>("n"), in[0].values[i].re), 0, 0});
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(polygamma) {
  t.sample({in({3, 4}, 0.3, 9)}, "n=1");
  t.sample({in({2, 0}, 1, 2)}, "n=2");
  t.sample({in({}, 0.5, 9)}, "n=3");
  t.sample({exactly({4}, {-0.3, -1.6, -2.4, -7.7})}, "n=2");
  t.large({in({300, 301}, 0.5, 9)}, "n=1");
  t.reference(reference);
  t.error("order", {in({2})}, "n=0",
          "polygamma: n is 0; it must be at least 1 (digamma itself is the other one) and at most "
          "150 [polygamma.order]");
  t.error(
      "dtype", {typed(in({2}), DType::kC64)}, "n=1",
      "polygamma: x has dtype complex64, but must be floating; cast it first [polygamma.dtype]");
  t.error("count", {in({2}), in({2})}, "n=1",
          "polygamma: takes 1 input, but got 2 [polygamma.count]");
}
