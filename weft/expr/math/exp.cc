// exp, exp2 and expm1: 2^n times a polynomial on half an octave around 0.
#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pieces.h"

namespace weft::expr_math {
namespace {

// p * 2^n for n of any exponent a result can have, with one rounding: a constant takes half of the
// largest exponent, with the sign of x, and a power of two made of bits takes what remains.
// `shifted` holds n + 2 bias.
Expr scale_by(Expr p, Expr shifted, Expr x) {
  const double half = is_f32(x) ? 0x1p64 : 0x1p512;
  const Expr rest = where(x < 0, literal(x, 1 / half), literal(x, half));
  const Expr power = bits(power_of_two(shifted, x)) - bits(rest);
  return p * from_bits(power) * rest;
}

}  // namespace

Reduced reduce_exp(Expr x, double magic) {
  const double log2e = 0x1.71547652b82fep+0;
  const Rounded n = rounded(fma(x, literal(x, log2e), literal(x, magic)), magic);
  // ln 2 in two parts; the first is short, so that n times it is exact.
  const Expr high = literal(x, is_f32(x) ? -0x1.62e4p-1 : -0x1.62e42fefa3800p-1);
  const Expr low = literal(x, is_f32(x) ? -0x1.7f7d1cp-20 : -0x1.ef35793c76730p-45);
  return {fma(n.value, low, fma(n.value, high, x)), n.value, n.shifted};
}

Expr exp_polynomial(Expr r) {
  const Expr q = is_f32(r) ? polynomial(r, kExpF32) : polynomial(r, kExpF64);
  return fma(fma(q, r, literal(r, 1.0)), r, literal(r, 1.0));
}

Expr expand_exp(Expr x) {
  // Beyond these the result is infinite or 0, after rounding.
  const Expr y =
      is_f32(x) ? at_most(at_least(x, -110.0), 100.0) : at_most(at_least(x, -760.0), 720.0);
  const Reduced r = reduce_exp(y, magic_of(x, 2 * bias_of(x)));
  return scale_by(exp_polynomial(r.rest), r.shifted, y);
}

Expr expand_exp2(Expr x) {
  const Expr y =
      is_f32(x) ? at_most(at_least(x, -160.0), 140.0) : at_most(at_least(x, -1100.0), 1040.0);
  const double magic = magic_of(x, 2 * bias_of(x));
  const Rounded n = rounded(y + magic, magic);
  const Expr r = y - n.value;
  const Expr q = is_f32(r) ? polynomial(r, kExp2F32) : polynomial(r, kExp2F64);
  return scale_by(fma(q, r, literal(r, 1.0)), n.shifted, y);
}

// 2^n (e^r - 1) + (2^n - 1), halved until the end because 2^128 is not a float.
Expr expand_expm1(Expr x) {
  const Expr y = is_f32(x) ? at_most(at_least(x, -18.0), 89.0) : at_most(at_least(x, -40.0), 710.0);
  const Reduced r = reduce_exp(y, magic_of(x, bias_of(x) - 1));
  const Expr q = is_f32(x) ? polynomial(r.rest, kExpm1F32) : polynomial(r.rest, kExpm1F64);
  const Expr e = fma(r.rest * r.rest, q, r.rest);
  const Expr half_power = power_of_two(r.shifted, x);
  const Expr half = fma(half_power, e, half_power - 0.5);
  const Expr result = half + half;
  // Tiny arguments are their own result, -0 and denormals too.
  return where(abs(x) < (is_f32(x) ? 0x1p-30 : 0x1p-60), x, result);
}

}  // namespace weft::expr_math
