// Samples of nextafter.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

// The 16-bit floats have 11 and 8 bits; below their smallest exponent numbers are equally far
// apart.
long double neighbour(DType dtype, long double a, long double b) {
  if (dtype == DType::kF64) return std::nextafter(static_cast<double>(a), static_cast<double>(b));
  if (dtype == DType::kF32) return std::nextafter(static_cast<float>(a), static_cast<float>(b));
  const bool half = dtype == DType::kF16;
  const long double least = half ? 0x1p-24L : 0x1p-133L, end = half ? 65504 : 0x1.fep127L;
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return b;
  if (a == 0) return std::copysign(least, b);
  const bool away = (a < b) == (a > 0);
  if (std::isinf(a)) return std::copysign(end, a);
  if (away && std::fabs(a) == end) return std::copysign(HUGE_VALL, a);
  int exponent = 0;
  const long double fraction = std::frexp(std::fabs(a), &exponent);
  const bool power = fraction == 0.5L && !away;  // below a power of two they are closer
  long double step = std::ldexp(1.0L, exponent - (half ? 11 : 8) - power);
  if (step < least) step = least;
  return std::copysign(std::fabs(a) + (away ? step : -step), a);
}

ScalarValue next(DType dtype, const ScalarValue* v) {
  return {neighbour(dtype, v[0].re, v[1].re), 0, 0};
}

Arrays reference(const Attrs&, const Arrays& in) { return scalar_reference(in, next); }

}  // namespace

WEFT_OP_TEST(nextafter) {
  t.sample({in({3, 4}, -2, 2), in({3, 4}, -2, 2)});
  t.sample({in({3, 1}, -2, 2), in({4}, -2, 2)});
  t.sample({in({}, -2, 2), in({2, 3}, -2, 2)});
  t.sample({in({0, 3}, -2, 2), in({3}, -2, 2)});
  t.sample({exactly({4}, {1, -1, 0, 2}), exactly({4}, {1, 0, -1, 5})});
  t.reference(reference);
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "nextafter: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must "
          "be equal or 1 [nextafter.broadcast]");
  t.error(
      "dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
      "nextafter: a has dtype complex64, but must be floating; cast it first [nextafter.dtype]");
  t.error("count", {in({2})}, "", "nextafter: takes 2 inputs, but got 1 [nextafter.count]");
}
