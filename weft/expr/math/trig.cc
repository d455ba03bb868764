// sin, cos and tan for every finite argument.
//
// The argument is turned into turns: x / (2 pi), of which only the fraction matters. For large x it
// is the product of x, scaled down by a power of two, with the fraction of that power over 2 pi, in
// pieces short enough that whole turns leave exactly (Payne and Hanek's idea, in floats).
#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pairs.h"
#include "weft/expr/math/turns.h"

namespace weft::expr_math {
namespace {

// x = quadrant pi/2 + (high + low), |high| <= pi/4. The low bits of `quadrant` count.
struct Angle {
  Expr quadrant, high, low;
};

Expr without_turns(Expr a) { return a - round(a); }

// f32: in f64, from one of two sets of pieces of 29 bits, so that a product with 24 bits is exact.
// |x| >= 2^76 is scaled by 2^-53, which leaves it an integer: only then do whole turns of the power
// stay whole.
struct WideAngle {
  Expr quadrant, rest;  // both f64; quadrant is an integer from -6 to 6
};
WideAngle reduce_f32(Expr x) {
  const Expr huge = abs(x) >= 0x1p76;
  const Expr y = cast(where(huge, x * 0x1p-53, x), DType::kF64);
  const auto piece = [&](int i) {
    return where(huge, literal(y, kTurnPieces53[i]), literal(y, kTurnPieces0[i]));
  };
  const Expr a = without_turns(y * piece(0)), b = without_turns(y * piece(1));
  const Expr c = without_turns(y * piece(2));
  const Expr sum = a + b + c;
  const Expr quadrant = round(sum * 4.0);
  const Expr rest = fma(y, piece(3), fma(quadrant, literal(y, -0.25), sum));
  return {quadrant, rest * 0x1.921fb54442d18p+2};
}

// f64: x = y 2^(32 g), y < 2^84 and an integer unless g = 0, with a table over g; products and sums
// with their rounding errors, because x may be within 2^-61 of a multiple of pi/2.
Angle reduce_f64(Expr x) {
  const Expr field = shift_right(bits(at_least(abs(x), 0x1p52)), 52);
  const Expr group = shift_right(field - 1075, 5) & 31;
  const Expr y = x * from_bits(bits_of(x, uint64_t{1023} << 52) - shift_left(group, 57));
  const auto piece = [&](std::span<const double> table) {
    return lookup(table, group, DType::kF64);
  };
  const Expr t1 = piece(kTurns1), t2 = piece(kTurns2), t3 = piece(kTurns3), t4 = piece(kTurns4);
  const Expr p1 = y * t1, e1 = fma(y, t1, -p1);
  const Expr p2 = y * t2, e2 = fma(y, t2, -p2);
  const Expr p3 = y * t3, e3 = fma(y, t3, -p3);
  const Expr a = without_turns(p1), b = without_turns(e1), c = without_turns(p2);
  const double magic = 0x1.8p52;
  const Expr marked = fma(a + b + c, literal(x, 4.0), literal(x, magic));
  const Pair s1 = two_sum(fma(marked - magic, literal(x, -0.25), a), b);
  const Pair s2 = two_sum(s1.high, c), s3 = two_sum(s2.high, e2), s4 = two_sum(s3.high, p3);
  const Expr tail = s1.low + s2.low + (s3.low + s4.low) + fma(y, t4, e3);
  const Expr high = s4.high + tail, low = tail - (high - s4.high);
  const Expr two_pi = literal(x, 0x1.921fb54442d18p+2);
  const Expr two_pi_low = literal(x, 0x1.1a62633145c07p-52);
  const Expr r = high * two_pi;
  const Expr r_low = fma(high, two_pi, -r) + fma(high, two_pi_low, low * two_pi);
  return {bits(marked), r, r_low};
}

// For f32's polynomials: the quadrant as bits, the rest and what its rounding lost.
Angle reduce(Expr x) {
  if (!is_f32(x)) return reduce_f64(x);
  const WideAngle wide = reduce_f32(x);
  const Expr quadrant = bits(cast(wide.quadrant, DType::kF32) + 0x1.8p23);
  const Expr high = cast(wide.rest, DType::kF32);
  return {quadrant, high, cast(wide.rest - cast(high, DType::kF64), DType::kF32)};
}

Expr sine(Expr r, Expr low) {
  const Expr z = r * r;
  if (is_f32(r)) return r + fma(r * z, polynomial(z, kSinF32), low);
  // r + (low - low z / 2 + r z S(z))
  const Expr correction = fma(z * -0.5, low, low);
  return r + fma(r * z, polynomial(z, kSinF64), correction);
}

Expr cosine(Expr r, Expr low) {
  const Expr z = r * r;
  if (is_f32(r)) {
    const Expr p = fma(polynomial(z, kCosF32), z, literal(r, -0.5));
    return fma(p, z, literal(r, 1.0));
  }
  const Expr half = z * 0.5, head = literal(r, 1.0) - half;
  const Expr lost = (literal(r, 1.0) - head) - half;
  return head + (lost + fma(z * z, polynomial(z, kCosF64), -(r * low)));
}

Expr bit_is_set(Expr u, uint64_t bit) {
  return (u & Expr::constant_bits(u.dtype(), bit)) != Expr::constant_bits(u.dtype(), 0);
}

// sin of quadrant pi/2 + r, where `quadrant` holds the integer in its low bits.
Expr sine_in(Expr quadrant, Expr r, Expr low) {
  const Expr value = where(bit_is_set(quadrant, 1), cosine(r, low), sine(r, low));
  const Expr two = bits_of(r, 2);
  const Expr sign = shift_left(quadrant & two, bits_of(r, is_f32(r) ? 30 : 62));
  return from_bits(bits(value) ^ sign);
}

// Tiny arguments are their own sine and tangent, -0 too.
Expr tiny_or(Expr x, Expr result) {
  return where(abs(x) < (is_f32(x) ? 0x1p-13 : 0x1p-28), x, result);
}

}  // namespace

Expr expand_sin(Expr x) {
  const Angle a = reduce(x);
  return tiny_or(x, sine_in(a.quadrant, a.high, a.low));
}

Expr expand_cos(Expr x) {
  const Angle a = reduce(x);
  return sine_in(a.quadrant + bits_of(x, 1), a.high, a.low);
}

Expr expand_tan(Expr x) {
  if (is_f32(x)) {
    // In f64 throughout, with the polynomials of f32: 2^-28 is exact enough here.
    const WideAngle a = reduce_f32(x);
    const Expr r = a.rest, z = r * r;
    const Expr s = fma(r * z, polynomial(z, kSinF32), r);
    const Expr c = fma(z * z, polynomial(z, kCosF32), fma(z, literal(r, -0.5), literal(r, 1.0)));
    const Expr odd = bit_is_set(bits(a.quadrant + 0x1.8p52), 1);
    return tiny_or(x, cast(where(odd, -c, s) / where(odd, s, c), DType::kF32));
  }
  const Angle a = reduce_f64(x);
  const Expr s = sine(a.high, a.low), c = cosine(a.high, a.low);
  const Expr odd = bit_is_set(a.quadrant, 1);
  return tiny_or(x, where(odd, -c, s) / where(odd, s, c));
}

}  // namespace weft::expr_math
