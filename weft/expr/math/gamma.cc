// lgamma and digamma of f32, in f64, and lgamma of f64: moved by their recurrences to where a
// polynomial serves, negative arguments by reflection. digamma.cc has digamma of f64.
#include "weft/expr/math/gamma.h"

#include <span>

#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"

namespace weft::expr_math {
namespace {

constexpr double kPi = 0x1.921fb54442d18p+1, kPiLow = 0x1.1a62633145c07p-53;
constexpr double kLogPi = 0x1.250d048e7a1bdp+0, kLogPiLow = 0x1.7abf2ad8d5088p-57;
constexpr double kStirlingConstant = 0x1.acfe390c97d69p-2;  // log(2 pi) / 2 - 1/2

// ---- f32, in f64 ----

// sin(pi r) and cos(pi r) for |r| <= 1/2, of half the angle.
struct Turn {
  Expr sine, cosine;
};
Turn turn(Expr r) {
  const Expr h = r * (kPi / 2), z = h * h;
  const Expr s = fma(h * z, polynomial(z, kSinF64), h);
  const Expr c = fma(z * z, polynomial(z, kCosF64), fma(z, literal(z, -0.5), literal(z, 1.0)));
  return {s * c * 2.0, (c - s) * (c + s)};
}

// Where lgamma's argument is moved to: lgamma(x) = lgamma(2 + w) + log(up) from 3/2 on, and
// lgamma(2 + w) - log(down) below.
struct Moved {
  Expr w, below;
  Pair factor;  // up or down
};
Moved moved(Expr x) {
  const Expr below = x < 1.5, low = x < 0.5;
  Expr w = x - 2.0;
  Pair up{literal(x, 1.0), literal(x, 0.0)};
  for (int step = 0; step < 6; ++step) {
    const Expr high = w >= 0.5;
    const Pair next = product(up.high, w + 1.0);
    up = where(high, Pair{next.high, fma(up.low, w + 1.0, next.low)}, up);
    w = where(high, w - 1.0, w);
  }
  // Below 3/2 one step up, below 1/2 two: of x itself nothing is lost.
  const Pair sum = fast_sum(literal(x, 1.0), x), two = product(x, sum.high);
  const Pair down = where(low, Pair{two.high, fma(x, sum.low, two.low)}, Pair{x, literal(x, 0.0)});
  return {where(low, x, where(below, x - 1.0, w)), below, where(below, down, up)};
}

// lgamma(x) for x > -1/2; from 8 on by Stirling's formula.
Expr right_lgamma_f32(Expr x) {
  const Moved m = moved(x);
  const Expr far = x >= 8, log = expand_log(where(far, x, abs(m.factor.high)));
  const Expr near = fma(m.w, polynomial(m.w, kLgammaF32), where(m.below, -log, log));
  const Expr inverse = literal(x, 1.0) / x;
  const Expr tail =
      fma(inverse, polynomial(inverse * inverse, kStirlingF32), literal(x, kStirlingConstant));
  return where(far, fma(x - 0.5, log - 1.0, tail), near);
}

// log(pi / |x sin(pi x)|) - lgamma(-x) for the others.
Expr wide_lgamma(Expr x) {
  const Expr mirrored = x <= -0.5, ax = abs(x);
  const Expr value = right_lgamma_f32(where(mirrored, ax, x));
  const Expr sine = abs(turn(where(ax < 0x1p52, ax - round(ax), 0.0)).sine);
  const Expr reflected = -expand_log(ax * sine * (1 / kPi)) - value;
  const Expr pole = mirrored & (sine == 0);  // -inf too
  return where(pole, kInf, where(mirrored, reflected, value));
}

// digamma(x) for x > 0: digamma(x + 6) less the sum of 1 / (x + k), k < 6, taken in pairs:
// 1 / (x + k) + 1 / (x + 5 - k) = (2x + 5) / (x (x + 5) + k (5 - k)); then log(y) - 1 / (2y) -
// tail.
Expr right_digamma_f32(Expr x) {
  const Expr one = literal(x, 1.0), u = x * (x + 5.0);
  const Expr sum = (x + x + 5.0) * (one / u + (one / (u + 4.0) + one / (u + 6.0)));
  const Expr near = x < 6;
  const Expr y = where(near, x + 6.0, x);
  const Expr inverse = one / y, z = inverse * inverse;
  const Expr small = fma(z, polynomial(z, kDigammaF32), inverse * 0.5);
  return expand_log(y) - (small + where(near, sum, 0.0));
}

// digamma(1 - x) - pi / tan(pi x) for negative x, -0 too; poles below 0 have no sign, so NaN.
Expr wide_digamma(Expr x) {
  const Expr negative = bitcast(x, DType::kI64) < 0, r = x - round(x);
  const Expr value = right_digamma_f32(where(negative, literal(x, 1.0) - x, x));
  const Turn t = turn(r);
  const Expr reflected = value - t.cosine / t.sine * kPi;
  const Expr pole = where(x == 0, kInf, literal(x, kNaN));
  return where(negative, where(r == 0, pole, reflected), value);
}

// ---- lgamma of f64 ----

// The same in pairs, because the parts may cancel.
Pair right_lgamma_f64(Expr x) {
  const Moved m = moved(x);
  const Expr far = x >= 8;
  const Expr argument = where(far, x, abs(m.factor.high));
  const Pair log = log_pair(argument);
  // log(high + low) = log(high) + low / high.
  const Expr lost = m.factor.low;
  const Expr carry = log.low + where(lost == 0, 0.0, lost / m.factor.high);
  const Expr series = m.w * polynomial(m.w, kLgammaF64);
  // Around the least value the two would cancel.
  const Expr d = x - kDigammaRoot[0], in_middle = abs(d - 0.02) < 0.25;
  const Expr slope = fma(d, literal(x, kLgammaLeast[2]), literal(x, kLgammaLeast[1]));
  const Expr bend = fma(d * d, polynomial(d, kLgammaMiddle), slope);
  const Pair near =
      where(in_middle, Pair{literal(x, kLgammaLeast[0]), bend},
            Pair{where(m.below, -log.high, log.high), series + where(m.below, -carry, carry)});
  // (x - 1/2) (log(x) - 1) + tail; both differences are exact.
  const Expr inverse = literal(x, 1.0) / x, half_less = x - 0.5;
  const Expr tail =
      fma(inverse, polynomial(inverse * inverse, kStirlingF64), literal(x, kStirlingConstant));
  const Pair big = product(half_less, log.high - 1.0);
  const Expr rest = fma(half_less, log.low, tail) + where(abs(big.high) < 0x1p1000, big.low, 0.0);
  return where(far, Pair{big.high, rest}, near);
}

Expr lgamma_f64(Expr x) {
  const Expr mirrored = x <= -0.5, ax = abs(x);
  const Pair value = right_lgamma_f64(where(mirrored, ax, x));
  // log(pi) - log(|x sin(pi x)|) - lgamma(-x) for the others.
  const PairTurn t = pair_turn(where(ax < 0x1p52, ax - round(ax), 0.0));
  const Pair sine = where(t.is_near, t.sine, t.cosine);
  const Pair area = product(ax, sine.high);
  const Pair log = log_pair(area.high);
  const Expr carry = log.low + fma(ax, sine.low, area.low) / area.high;
  const Pair both = two_sum(-log.high, -value.high), sum = two_sum(both.high, literal(x, kLogPi));
  const Expr rest = sum.low + both.low + (literal(x, kLogPiLow) - carry - value.low);
  const Expr infinite = (ax == kInf) | (x == 0) | (mirrored & (sine.high == 0));
  const Expr result = where(mirrored, sum.high + rest, value.high + value.low);
  return where(infinite, kInf, where(isnan(x), x, result));
}

}  // namespace

// The polynomials of sin and cos reach pi/4: beyond 1/4 the other one of 1/2 - |r|, which is exact.
PairTurn pair_turn(Expr r) {
  const Expr ar = abs(r), is_near = ar <= 0.25;
  const Expr q = where(is_near, ar, literal(r, 0.5) - ar);
  const Pair angle = product(q, literal(r, kPi));
  const Expr h = angle.high, low = fma(q, literal(r, kPiLow), angle.low);
  const Pair z = product(h, h);
  const Expr s = fma(h * z.high, polynomial(z.high, kSinF64), fma(z.high * -0.5, low, low));
  const Pair head = fast_sum(literal(r, 1.0), z.high * -0.5);
  const Expr c = fma(z.high * z.high, polynomial(z.high, kCosF64), -(h * low));
  return {is_near, fast_sum(h, s), fast_sum(head.high, head.low + fma(z.low, literal(r, -0.5), c))};
}

Expr expand_lgamma(Expr x) {
  if (!is_f32(x)) return lgamma_f64(x);
  return cast(wide_lgamma(cast(x, DType::kF64)), DType::kF32);
}

Expr expand_digamma(Expr x) {
  if (!is_f32(x)) return digamma_f64(x);
  return cast(wide_digamma(cast(x, DType::kF64)), DType::kF32);
}

}  // namespace weft::expr_math
