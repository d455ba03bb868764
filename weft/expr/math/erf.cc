// erf and erfc.
#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pieces.h"

namespace weft::expr_math {
namespace {

// erf(|x|) = 1 - e^y with y = -|x| g(|x|): the expm1 form keeps small arguments exact, and for
// large ones an error of y vanishes with e^y.
Expr erf_f32(Expr x) {
  const Expr ax = at_most(abs(x), 4.0);
  // g's constant term in two parts: it alone decides for small x.
  const float head = static_cast<float>(kErfF32[0]);
  Expr g = literal(x, -kErfF32[8]);
  for (int i = 7; i > 0; --i) g = fma(g, ax, literal(x, -kErfF32[i]));
  g = fma(g, ax, literal(x, head - kErfF32[0]));
  const Expr y = fma(ax, literal(x, -head), ax * g);
  // The bias of 256 more is the sign: the power comes out as -2^n.
  const double magic = magic_of(x, 127 + 256);
  const Rounded n = rounded(fma(y, literal(x, 0x1.71547652b82fep+0), literal(x, magic)), magic);
  const Expr r = fma(n.value, literal(x, -0x1.62e42fefa39efp-1), y);
  const Expr e = fma(r * r, polynomial(r, kExpm1F32), r);
  const Expr power = power_of_two(n.shifted, x);
  return with_sign_of(fma(power, e, power + 1.0), x);
}

// erfc(ax) = e^(-ax^2) G(t) / (1 + 2 ax), where G is nearly flat in t = (ax - k) / (ax + k).
constexpr double kCentre = 3.75;

// f32 in f64: no error matters there but the polynomials' own.
Expr erfc_f32(Expr x) {
  const Expr ax = cast(at_most(abs(x), 10.2), DType::kF64);  // beyond: 0
  const Reduced r = reduce_exp(-(ax * ax), magic_of(ax, bias_of(ax)));
  const Expr p =
      fma(fma(polynomial(r.rest, kExpF32), r.rest, literal(ax, 1.0)), r.rest, literal(ax, 1.0));
  const Expr g = polynomial((ax - kCentre) / (ax + kCentre), kErfcF32);
  const Expr far =
      p * g / fma(ax, literal(ax, 2.0), literal(ax, 1.0)) * power_of_two(r.shifted, ax);
  const Expr wide = cast(x, DType::kF64), z = wide * wide;
  const Expr near = literal(ax, 1.0) - fma(wide, polynomial(z, kErfF64), wide);
  const Expr sided = where(wide < 0, literal(ax, 2.0) - far, far);
  return cast(where(ax < 0.45, near, sided), DType::kF32);
}

// f64: what the roundings of ax^2, t, 1 / (1 + 2 ax) and G's constant term lost goes into the
// exponent, where it costs nothing more; so only three roundings of the result's size remain.
Expr erfc_f64(Expr ax0) {
  const Expr ax = at_most(ax0, 27.5);  // beyond: 0
  const Expr one = literal(ax, 1.0);
  const Expr square = ax * ax, square_low = fma(ax, ax, -square);
  const Expr numerator = ax - kCentre, denominator = ax + kCentre;
  const Expr numerator_low = ax - (numerator + kCentre);
  const Expr denominator_low = ax - (denominator - kCentre);
  const Expr inverse = one / denominator, t = numerator * inverse;
  const Expr t_low =
      (fma(-t, denominator, numerator) + fma(-t, denominator_low, numerator_low)) * inverse;
  const Expr d = fma(ax, literal(ax, 2.0), one), d_low = fma(ax, literal(ax, 2.0), one - d);
  const Expr quotient = one / d;
  const Expr lost = fma(-quotient, d, one) - quotient * d_low - square_low +
                    fma(t_low, polynomial(t, kErfcSlope), literal(ax, kErfcF64Low[0] / 1.2));
  const Reduced r = reduce_exp(-square, magic_of(ax, bias_of(ax) + 512));
  const Expr rest = r.rest + lost;
  const Expr e = fma(rest * rest, polynomial(rest, kExpm1F64), rest);
  const Expr head = polynomial(t, kErfcF64) * quotient;
  return fma(head, e, head) * power_of_two(r.shifted, ax) * 0x1p-512;
}

}  // namespace

Expr expand_erf(Expr x) {
  if (is_f32(x)) return erf_f32(x);
  const Expr ax = abs(x), z = x * x;
  const Expr small = fma(ax, polynomial(z, kErfF64), ax);
  const Expr large = literal(x, 1.0) - erfc_f64(ax);
  return with_sign_of(where(ax < 1, small, large), x);
}

Expr expand_erfc(Expr x) {
  if (is_f32(x)) return erfc_f32(x);
  const Expr right = erfc_f64(abs(x)), z = x * x;
  const Expr far = where(x < 0, literal(x, 2.0) - right, right);
  const Expr near = literal(x, 1.0) - fma(x, polynomial(z, kErfF64), x);
  return where(abs(x) < 0.45, near, far);
}

}  // namespace weft::expr_math
