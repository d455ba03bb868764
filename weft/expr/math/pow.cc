// pow: 2^(y log2|x|), with the sign and the special cases of C99.
#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pairs.h"

namespace weft::expr_math {
namespace {

// log2(x) to about 2^-64.
Pair log2_pair(Expr ax) {
  const Split x = split_any(ax);
  const Pair in_base_2 = product(log_of_fraction(x.fraction), {literal(ax, 0x1.71547652b82fep+0),
                                                               literal(ax, 0x1.777d0ffda0d24p-56)});
  const Pair whole = fast_sum(x.exponent, in_base_2.high);
  return {whole.high, whole.low + in_base_2.low};
}

// 0 and infinity have infinite logarithms; 1 to any power is 1, also to NaN.
Expr limited(Expr exponent, Expr ax, Expr y) {
  const Expr at_limit = where(ax == 0, -kInf, literal(ax, kInf)) * y;
  return where(ax == 1, 0.0, where((ax == 0) | (ax == kInf), at_limit, exponent));
}

Expr magnitude_f64(Expr ax, Expr y) {
  const Pair log = log2_pair(ax);
  const Expr z = y * log.high;
  const Expr low = where(abs(z) < 2000, fma(y, log.high, -z) + y * log.low, 0.0);
  const Expr exponent = at_most(at_least(limited(z, ax, y), -1100.0), 1040.0);
  const double magic = magic_of(ax, 1023 + 512);
  const Rounded n = rounded(exponent + magic, magic);
  const Expr r = (exponent - n.value) + where(ax == 1, 0.0, low);
  const Expr p = fma(polynomial(r, kExp2F64), r, literal(r, 1.0));
  // In two steps, by the sign, as in exp.
  const Expr down = exponent < 0;
  const Expr power = power_of_two(where(down, n.shifted, n.shifted - bits_of(ax, 1024)), ax);
  return p * power * where(down, literal(ax, 0x1p-512), literal(ax, 0x1p512));
}

// f32 in f64, where 40 bits of the logarithm are enough and no power overflows.
Expr magnitude_f32(Expr x, Expr y32) {
  const Expr ax = cast(abs(x), DType::kF64), y = cast(y32, DType::kF64);
  const Split parts = split_normal(ax);
  const Expr s = parts.fraction / (parts.fraction + 2.0), z = s * s;
  const Expr log = fma(s, polynomial(z, kPowLog2F32), parts.exponent);
  const Expr exponent = at_most(at_least(limited(y * log, ax, y), -200.0), 200.0);
  const double magic = magic_of(ax, 1023);
  const Rounded n = rounded(exponent + magic, magic);
  const Expr p = polynomial(exponent - n.value, kPowExp2F32);
  return cast(p * power_of_two(n.shifted, ax), DType::kF32);
}

}  // namespace

Expr expand_pow(Expr x, Expr y) {
  const Expr magnitude = is_f32(x) ? magnitude_f32(x, y) : magnitude_f64(abs(x), y);
  const Expr half = y * 0.5;
  const Expr integer = round(y) == y, odd = integer & (round(half) != half);
  const Expr sign = bits(x) & bits_of(x, sign_mask(x));
  const Expr with_sign = from_bits(bits(magnitude) ^ where(odd, sign, bits_of(x, 0)));
  // A negative number has no power but integers (infinities and -0 have their limits).
  const Expr none = (x < 0) & (x != -kInf) & !integer;
  const Expr result = where(none | isnan(x), kNaN, with_sign);
  return where((y == 0) | (x == 1), 1.0, result);
}

}  // namespace weft::expr_math
