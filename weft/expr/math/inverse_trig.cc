// asin, acos and atan: reduced to small arguments, where an odd polynomial serves.
#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pieces.h"

namespace weft::expr_math {
namespace {

constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;

// pi/2 in the two parts the dtype needs.
struct Parts {
  double high, low;
};
Parts half_pi(Expr x) {
  if (!is_f32(x)) return {kHalfPi, kHalfPiLow};
  const float high = static_cast<float>(kHalfPi);
  return {high, kHalfPi - static_cast<double>(high)};
}

// asin(s) = s + s z P(z) with z = s^2 <= 1/4. For |x| > 1/2: s^2 = (1 - |x|) / 2.
struct ArcSine {
  Expr large, s, tail;  // tail = s z P(z)
};
ArcSine arc_sine(Expr x) {
  const Expr ax = abs(x);
  const Expr large = ax > 0.5;
  const Expr z = where(large, fma(ax, literal(x, -0.5), literal(x, 0.5)), x * x);
  const Expr s = where(large, sqrt(z), ax);
  const Expr p = is_f32(x) ? polynomial(z, kAsinF32) : polynomial(z, kAsinF64);
  return {large, s, s * (z * p)};
}

}  // namespace

Expr expand_asin(Expr x) {
  const ArcSine a = arc_sine(x);
  const Parts pi = half_pi(x);
  // pi/2 - 2 (s + tail), the small parts first.
  const Expr near_one = (literal(x, pi.high) - (a.s + a.s)) - (a.tail + a.tail - pi.low);
  return with_sign_of(where(a.large, near_one, a.s + a.tail), x);
}

Expr expand_acos(Expr x) {
  const ArcSine a = arc_sine(x);
  const Parts pi = half_pi(x);
  const Expr twice = (a.s + a.tail) * 2.0;
  const Expr right = twice;
  const Expr left = literal(x, 2 * pi.high) - (twice - 2 * pi.low);
  const Expr signed_tail = where(x < 0, -a.tail, a.tail);
  const Expr middle = literal(x, pi.high) - (x - (literal(x, pi.low) - signed_tail));
  return where(a.large, where(x < 0, left, right), middle);
}

// |x| below tan(pi/8) as it is, above tan(3 pi/8) by -1/x, between them by (x - 1) / (x + 1).
Expr expand_atan(Expr x) {
  const Parts pi = half_pi(x);
  const Expr ax = abs(x);
  const Expr high = ax > 2.414213562373095, middle = ax > 0.41421356237309503;
  const Expr one = literal(x, 1.0);
  const Expr numerator = where(high, -1.0, where(middle, ax - one, ax));
  const Expr denominator = where(high, ax, where(middle, ax + one, one));
  const Expr t = numerator / denominator, z = t * t;
  const Expr p = is_f32(x) ? polynomial(z, kAtanF32) : polynomial(z, kAtanF64);
  const Expr base = where(high, pi.high, where(middle, pi.high / 2, literal(x, 0.0)));
  const Expr base_low = where(high, pi.low, where(middle, pi.low / 2, literal(x, 0.0)));
  return with_sign_of(base + (t + fma(t * z, p, base_low)), x);
}

}  // namespace weft::expr_math
