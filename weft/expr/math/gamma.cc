// lgamma and digamma: moved by their recurrences to where a polynomial serves, negative arguments
// by reflection. f32 computes in f64.
#include <span>

#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pieces.h"

namespace weft::expr_math {
namespace {

constexpr double kPi = 0x1.921fb54442d18p+1;

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

struct LgammaTables {
  std::span<const double> near, stirling;
};

// lgamma(x) for x > -1/2: lgamma(2 + w) with |w| <= 1/2, plus or minus the logarithm of the product
// that leads there; from 8 on by Stirling's formula.
Expr right_lgamma(Expr x, const LgammaTables& tables) {
  const Expr below = x < 1.5, far = x >= 8;
  Expr w = x - 2.0, up = literal(x, 1.0);
  for (int step = 0; step < 6; ++step) {
    const Expr factor = w + 1.0, high = w >= 0.5;
    up = where(high, up * factor, up);
    w = where(high, w - 1.0, w);
  }
  // Below 3/2 one step up, below 1/2 two: of x itself nothing is lost.
  const Expr low = x < 0.5;
  w = where(low, x, where(below, x - 1.0, w));
  const Expr down = abs(where(low, x * (x + 1.0), x));
  const Expr log = expand_log(where(far, x, where(below, down, up)));
  const Expr near = fma(w, polynomial(w, tables.near), where(below, -log, log));
  const Expr inverse = literal(x, 1.0) / x;
  const Expr tail = fma(inverse, polynomial(inverse * inverse, tables.stirling),
                        literal(x, 0x1.acfe390c97d69p-2));  // log(2 pi) / 2 - 1/2
  return where(far, fma(x - 0.5, log - 1.0, tail), near);
}

// log(pi / |x sin(pi x)|) - lgamma(-x) for the others.
Expr wide_lgamma(Expr x, const LgammaTables& tables) {
  const Expr mirrored = x <= -0.5, ax = abs(x);
  const Expr value = right_lgamma(where(mirrored, ax, x), tables);
  const Expr sine = abs(turn(where(ax < 0x1p52, ax - round(ax), 0.0)).sine);
  const Expr reflected = -expand_log(ax * sine * (1 / kPi)) - value;
  const Expr pole = mirrored & (sine == 0);  // -inf too
  return where(pole, kInf, where(mirrored, reflected, value));
}

// digamma(x) for x > 0: digamma(x + 6) less the sum of 1 / (x + k), k < 6, taken in pairs:
// 1 / (x + k) + 1 / (x + 5 - k) = (2x + 5) / (x (x + 5) + k (5 - k)); then log(y) - 1 / (2y) -
// tail.
Expr right_digamma(Expr x, std::span<const double> table) {
  const Expr one = literal(x, 1.0), u = x * (x + 5.0);
  const Expr sum = (x + x + 5.0) * (one / u + (one / (u + 4.0) + one / (u + 6.0)));
  const Expr near = x < 6;
  const Expr y = where(near, x + 6.0, x);
  const Expr inverse = one / y, z = inverse * inverse;
  const Expr small = fma(z, polynomial(z, table), inverse * 0.5);
  return expand_log(y) - (small + where(near, sum, 0.0));
}

// digamma(1 - x) - pi / tan(pi x) for negative x, -0 too; poles below 0 have no sign, so NaN.
Expr wide_digamma(Expr x, std::span<const double> table) {
  const Expr negative = bitcast(x, DType::kI64) < 0, r = x - round(x);
  const Expr value = right_digamma(where(negative, literal(x, 1.0) - x, x), table);
  const Turn t = turn(r);
  const Expr reflected = value - t.cosine / t.sine * kPi;
  const Expr pole = where(x == 0, kInf, literal(x, kNaN));
  return where(negative, where(r == 0, pole, reflected), value);
}

}  // namespace

Expr expand_lgamma(Expr x) {
  const LgammaTables tables =
      is_f32(x) ? LgammaTables{kLgammaF32, kStirlingF32} : LgammaTables{kLgammaF64, kStirlingF64};
  return cast(wide_lgamma(cast(x, DType::kF64), tables), x.dtype());
}

Expr expand_digamma(Expr x) {
  const Expr wide = cast(x, DType::kF64);
  const Expr value = is_f32(x) ? wide_digamma(wide, kDigammaF32) : wide_digamma(wide, kDigammaF64);
  return cast(value, x.dtype());
}

}  // namespace weft::expr_math
