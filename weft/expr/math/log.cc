// log, log2, log10 and log1p: exponent times a constant, plus a polynomial on one octave around 1.
#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pieces.h"

namespace weft::expr_math {
namespace {

// sqrt(1/2) in bits: the lower end of the octave. Around its ends the exponent's part is at least
// twice the result's size, never much more, so that little cancels.
Expr octave_start(Expr x) { return bits_of(x, is_f32(x) ? 0x3f3504f3 : 0x3fe6a09e667f3bcd); }

// (bits - start) >> mantissa as a float: the exponent of the octave the number lies in.
Expr exponent_of(Expr offset, Expr like) {
  if (is_f32(like)) {
    return cast(shift_right(bitcast(offset, DType::kI32), 23), DType::kF32);
  }
  // No 64-bit conversion on AVX2: the exponent, made positive, is written into a mantissa.
  const Expr field = shift_right(offset + bits_of(like, uint64_t{2048} << 52), 52);
  return from_bits(field | bits_of(like, 0x4330000000000000)) - (0x1p52 + 2048);
}

struct Split {
  Expr exponent, fraction;  // x = 2^exponent (1 + fraction)
};

// Denormals are scaled up first; the scale leaves again through the start of the octave.
Split split(Expr x) {
  const int m = mantissa_bits(x);
  const Expr small = x < (is_f32(x) ? 0x1p-126 : 0x1p-1022);
  const Expr scaled = where(small, x * (is_f32(x) ? 0x1p24 : 0x1p54), x);
  const uint64_t shift = is_f32(x) ? 24 : 54;
  const Expr start = octave_start(x);
  const Expr from = where(small, start + bits_of(x, shift << m), start);
  const Expr offset = bits(scaled) - from;
  const Expr one_octave = bits_of(x, (uint64_t{1} << m) - 1);
  return {exponent_of(offset, x), from_bits((offset & one_octave) + start) - 1.0};
}

// What no polynomial gives: log(inf) = inf, of negatives NaN, of zeros -inf.
Expr with_limits(Expr result, Expr x) {
  const DType integer = is_f32(x) ? DType::kI32 : DType::kI64;
  const Expr upper = where(x < kInf, result, x);
  const Expr lower = where(bitcast(x, integer) < 0, kNaN, upper);
  return where(x == 0, -kInf, lower);
}

// log1p(f) for f64 as in fdlibm: f - (f^2/2 - s (f^2/2 + R(s^2))), s = f / (2 + f).
struct Series {
  Expr f, half_square, tail;  // log1p(f) = f - (half_square - tail)
};
Series log_series(Expr f) {
  const Expr s = f / (f + 2.0);
  const Expr z = s * s;
  const Expr half_square = f * f * 0.5;
  return {f, half_square, s * fma(z, polynomial(z, kLogF64), half_square)};
}

constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;

Expr log_f64(Expr exponent, Expr f) {
  const Series t = log_series(f);
  const Expr low = fma(exponent, literal(f, kLn2Low), t.tail);
  return fma(exponent, literal(f, kLn2High), f - (t.half_square - low));
}

Expr log_f32(Expr exponent, Expr f) {
  const Expr r = fma(f * f, polynomial(f, kLogF32), f);
  return fma(exponent, literal(f, 0x1.62e42fefa39efp-1), r);
}

// log1p(f) / ln(base) in two parts, then the exponent: the product with 1/ln(base) needs more
// than 53 bits, so f - half_square is cut to a short head.
Expr log_base_f64(Expr exponent, Expr f, double inverse_high, double inverse_low, double two_high,
                  double two_low) {
  const Series t = log_series(f);
  const Expr head = from_bits(bits(f - t.half_square) & bits_of(f, 0xffffffff00000000));
  const Expr low = (f - head - t.half_square) + t.tail;
  const Expr small = fma(low + head, literal(f, inverse_low), low * inverse_high);
  const Expr carry = fma(exponent, literal(f, two_low), small);
  // exponent * two_high and head * inverse_high are exact.
  const Expr big = exponent * two_high, product = head * inverse_high;
  const Expr sum = big + product;
  return sum + ((big - sum) + product + carry);
}

}  // namespace

Expr expand_log(Expr x) {
  const Split s = split(x);
  const Expr value = is_f32(x) ? log_f32(s.exponent, s.fraction) : log_f64(s.exponent, s.fraction);
  return with_limits(value, x);
}

Expr expand_log2(Expr x) {
  const Split s = split(x);
  const Expr f = s.fraction;
  if (!is_f32(x)) {
    return with_limits(
        log_base_f64(s.exponent, f, 0x1.71547652p+0, 0x1.705fc2eefa200p-33, 1.0, 0.0), x);
  }
  const double inverse = 0x1.71547652b82fep+0;
  const float inverse_high = static_cast<float>(inverse);
  const Expr tail = fma(f, literal(f, inverse - inverse_high), f * f * polynomial(f, kLog2F32));
  const Expr r = fma(f, literal(f, inverse_high), tail);
  return with_limits(s.exponent + r, x);
}

Expr expand_log10(Expr x) {
  const Split s = split(x);
  const Expr f = s.fraction;
  if (!is_f32(x)) {
    return with_limits(log_base_f64(s.exponent, f, 0x1.bcb7b152p-2, 0x1.b9438ca9aadd5p-36,
                                    0x1.34413509f6000p-2, 0x1.9fef311f12b36p-42),
                       x);
  }
  const double inverse = 0x1.bcb7b1526e50ep-2, two = 0x1.34413509f79ffp-2;
  const float inverse_high = static_cast<float>(inverse), two_high = static_cast<float>(two);
  const Expr tail = fma(f, literal(f, inverse - inverse_high), f * f * polynomial(f, kLog10F32));
  const Expr r = fma(f, literal(f, inverse_high), tail);
  const Expr low = fma(s.exponent, literal(f, two - two_high), r);
  return with_limits(fma(s.exponent, literal(f, two_high), low), x);
}

// 1 + x = 2^k (1 + f) with f = x 2^-k + (2^-k - 1): one rounding, however small x is.
Expr expand_log1p(Expr x) {
  const int m = mantissa_bits(x);
  const Expr sum = x + 1.0;
  const Expr offset = bits(sum) - octave_start(x);
  const Expr exponent_field = offset & ~bits_of(x, (uint64_t{1} << m) - 1);
  // 2^(2-k), because 2^-k can be too small to be made of bits.
  const Expr power =
      from_bits(bits_of(x, (static_cast<uint64_t>(bias_of(x)) + 2) << m) - exponent_field);
  const Expr f = fma(x * 0.25, power, fma(power, literal(x, 0.25), literal(x, -1.0)));
  const Expr k = exponent_of(offset, x);
  const Expr value = is_f32(x) ? log_f32(k, f) : log_f64(k, f);
  const Expr limited = with_limits(value, sum);
  // Tiny arguments are their own logarithm, -0 and denormals too.
  return where(abs(x) < (is_f32(x) ? 0x1p-30 : 0x1p-60), x, limited);
}

}  // namespace weft::expr_math
