// erfinv, lgamma and digamma in long double: references for what libm does not have, or not without
// a global variable.
#include <cmath>
#include <limits>
#include <numbers>

#include "weft/expr/calls.h"

namespace weft::expr_internal {
namespace {

constexpr long double kPi = std::numbers::pi_v<long double>;
constexpr long double kInf = std::numeric_limits<long double>::infinity();
constexpr long double kNaN = std::numeric_limits<long double>::quiet_NaN();

// Winitzki's formula, to three digits.
long double erfinv_guess(long double y) {
  const long double log = std::log1p(-y * y), a = 0.147L;
  const long double b = 2 / (kPi * a) + log / 2;
  return std::sqrt(std::sqrt(b * b - log / a) - b);
}

}  // namespace

// Halley's method; where erf is nearly 1, on the complement.
long double erfinv_libm(long double y) {
  if (std::isnan(y) || std::fabs(y) > 1) return kNaN;
  if (std::fabs(y) == 1) return std::copysign(kInf, y);
  if (std::fabs(y) < 1e-10L) return y * (std::sqrt(kPi) / 2);
  const long double size = std::fabs(y);
  long double x = erfinv_guess(size);
  for (int step = 0; step < 4; ++step) {
    const long double error = size < 0.5L ? std::erf(x) - size : (1 - size) - std::erfc(x);
    const long double slope = 2 / std::sqrt(kPi) * std::exp(-x * x);
    const long double newton = error / slope;
    x -= newton / (1 + x * newton);
  }
  return std::copysign(x, y);
}

long double lgamma_libm(long double x) {
  int sign = 0;
  return ::lgammal_r(x, &sign);
}

// Moved to 24 and above, where the asymptotic series has all digits; below 0 by reflection.
long double digamma_libm(long double x) {
  if (x == 0) return std::copysign(kInf, -x);
  if (std::isnan(x) || x == kInf) return x;
  if (x < 0) {
    const long double r = x - std::round(x);
    if (r == 0 || std::isinf(x)) return kNaN;
    return digamma_libm(1 - x) - kPi / std::tan(kPi * r);
  }
  long double sum = 0;
  for (; x < 24; x += 1) sum += 1 / x;
  constexpr long double terms[] = {// B_2k / 2k
                                   1.0L / 12,        -1.0L / 120,      1.0L / 252, -1.0L / 240,
                                   1.0L / 132,       -691.0L / 32760,  1.0L / 12,  -3617.0L / 8160,
                                   43867.0L / 14364, -174611.0L / 6600};
  const long double z = 1 / (x * x);
  long double tail = 0;
  for (int k = 9; k >= 0; --k) tail = (tail + terms[k]) * z;
  return std::log(x) - 1 / (2 * x) - tail - sum;
}

}  // namespace weft::expr_internal
