// pow: 2^(y log2|x|), with the sign and the special cases of C99.
#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pieces.h"

namespace weft::expr_math {
namespace {

constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // sqrt(1/2): where an octave starts

// A positive, normal f64 as 2^exponent (1 + fraction) with 1 + fraction in [sqrt(1/2), sqrt(2)).
struct Split {
  Expr exponent, fraction;
};
Split split(Expr x, Expr start) {
  const Expr offset = bits(x) - start;
  const Expr field = shift_right(offset + bits_of(x, uint64_t{2048} << 52), 52);
  const Expr exponent = from_bits(field | bits_of(x, 0x4330000000000000)) - (0x1p52 + 2048);
  const Expr mantissa = (offset & bits_of(x, (uint64_t{1} << 52) - 1)) + bits_of(x, kRootHalf);
  return {exponent, from_bits(mantissa) - 1.0};
}

// A value and what its rounding lost.
struct Pair {
  Expr high, low;
};

// The sum of two, where |a| >= |b| or a = 0.
Pair fast_sum(Expr a, Expr b) {
  const Expr sum = a + b;
  return {sum, (a - sum) + b};
}
Pair product(Pair a, Pair b) {
  const Expr high = a.high * b.high;
  return {high, fma(a.high, b.high, -high) + fma(a.high, b.low, a.low * b.high)};
}

// log2(x) to about 2^-64: 2 atanh(s) with s = f / (2 + f) in pairs.
Pair log2_pair(Expr ax) {
  const Expr small = ax < 0x1p-1022;
  const Expr start = bits_of(ax, kRootHalf);
  const Expr scaled = where(small, ax * 0x1p54, ax);
  const Split x = split(scaled, where(small, start + bits_of(ax, uint64_t{54} << 52), start));
  const Expr f = x.fraction;
  const Expr d = f + 2.0, d_low = (literal(f, 2.0) - d) + f, inverse = literal(f, 1.0) / d;
  const Expr s = f * inverse;
  const Pair ratio{s, (fma(-s, d, f) - s * d_low) * inverse};
  const Pair z = product(ratio, ratio);
  // atanh's series over s: 2 + z 2/3 + z^2 (...), of which only the last bracket is one double.
  const Pair third{literal(f, 0x1.5555555555555p-1), literal(f, 0x1.5555555555555p-55)};
  const Pair w = product(z, third);
  const Pair sum = fast_sum(w.high, z.high * z.high * polynomial(z.high, kPowLogF64));
  const Pair bracket = product(ratio, {sum.high, sum.low + w.low});
  const Pair head = fast_sum(ratio.high * 2.0, bracket.high);
  const Pair log{head.high, head.low + fma(ratio.low, literal(f, 2.0), bracket.low)};
  const Pair in_base_2 =
      product(log, {literal(f, 0x1.71547652b82fep+0), literal(f, 0x1.777d0ffda0d24p-56)});
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
  const Split parts = split(ax, bits_of(ax, kRootHalf));
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
