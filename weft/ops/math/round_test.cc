// Samples of round and of round.places.
#include <cmath>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

namespace {

long double rounded(long double x, int64_t decimals) {
  const long double unit = std::pow(10.0L, static_cast<long double>(std::abs(decimals)));
  if (!std::isfinite(x)) return x;
  return decimals < 0 ? std::nearbyint(x / unit) * unit : std::nearbyint(x * unit) / unit;
}

// Of two equally near multiples of 10^places that with an even factor.
int64_t rounded_integer(int64_t x, int64_t places) {
  int64_t unit = 1;
  for (int64_t i = 0; i < places; ++i) unit *= 10;
  int64_t factor = x / unit, rest = x % unit;
  if (rest < 0) --factor, rest += unit;
  const bool up = 2 * rest > unit || (2 * rest == unit && factor % 2 != 0);
  return (factor + (up ? 1 : 0)) * unit;
}

Arrays reference(const Attrs& at, const Arrays& in) {
  const auto decimals = at.get<int64_t>("decimals");
  Array out = in[0];
  for (ScalarValue& v : out.values) {
    const bool is_finite = std::isfinite(v.re) && std::isfinite(v.im);
    if (is_finite || decimals == 0) v.re = rounded(v.re, decimals), v.im = rounded(v.im, decimals);
    if (decimals < 0) v.i = rounded_integer(v.i, -decimals);
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(round) {
  t.sample({exactly({7}, {-2.7, -1.2, -0.3, 0.3, 0.8, 1.4, 2.9})});
  t.sample({in({2, 0})}, "decimals=2");
  t.sample({exactly({}, {1.3})});
  t.sample({exactly({4}, {0.12, -1.38, 0.52, 1.74})}, "decimals=1");
  t.sample({exactly({4}, {12, 18, -118, 44})}, "decimals=-1");
  t.kink({exactly({4}, {15, 25, -25, -35})}, "decimals=-1", "it jumps there");
  t.sample({exactly({3}, {1e30, -1e30, 1}, DType::kF32)}, "decimals=20");
  t.large({in({300, 301}, 3.1, 3.4)}, "decimals=1");
  t.reference(reference);
  t.error("decimals", {typed(in({2}), DType::kF32)}, "decimals=39",
          "round: decimals is 39; for float32 it goes from -38 to 38 [round.decimals]");
  t.error("decimals", {typed(in({2}), DType::kI64)}, "decimals=-19",
          "round: decimals is -19; for int64 it is at least -18 [round.decimals]");
  t.error("count", {in({2}), in({2})}, "", "round: takes 1 input, but got 2 [round.count]");
}

WEFT_OP_TEST(round__places) {
  t.skip("zero", "powers of ten are neither 0 nor infinite");
  t.sample({exactly({4}, {0.12, -1.38, 0.52, 1.74}), exactly({}, {10}), exactly({}, {1})});
  t.sample({exactly({4}, {12, -138, 52, 174}), exactly({}, {1}), exactly({}, {10})});
}
