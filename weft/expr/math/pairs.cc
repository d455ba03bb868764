// Logarithms in pairs of f64.
#include "weft/expr/math/pairs.h"
#include "weft/expr/math/coefficients.h"

namespace weft::expr_math {
namespace {

constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // sqrt(1/2): where an octave starts

Split split_from(Expr x, Expr start) {
  const Expr offset = bits(x) - start;
  const Expr field = shift_right(offset + bits_of(x, uint64_t{2048} << 52), 52);
  const Expr exponent = from_bits(field | bits_of(x, 0x4330000000000000)) - (0x1p52 + 2048);
  const Expr mantissa = (offset & bits_of(x, (uint64_t{1} << 52) - 1)) + bits_of(x, kRootHalf);
  return {exponent, from_bits(mantissa) - 1.0};
}

}  // namespace

Split split_normal(Expr x) { return split_from(x, bits_of(x, kRootHalf)); }

Split split_any(Expr x) {
  const Expr small = x < 0x1p-1022, start = bits_of(x, kRootHalf);
  const Expr scaled = where(small, x * 0x1p54, x);
  return split_from(scaled, where(small, start + bits_of(x, uint64_t{54} << 52), start));
}

// 2 atanh(s) with s = f / (2 + f).
Pair log_of_fraction(Expr f) {
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
  return {head.high, head.low + fma(ratio.low, literal(f, 2.0), bracket.low)};
}

Pair log_pair(Expr x) {
  const Split s = split_any(x);
  const Pair log = log_of_fraction(s.fraction);
  // The product of the exponent with the short head of ln 2 is exact.
  const Pair whole = fast_sum(s.exponent * 0x1.62e42fefa3800p-1, log.high);
  return {whole.high, whole.low + fma(s.exponent, literal(x, 0x1.ef35793c76730p-45), log.low)};
}

}  // namespace weft::expr_math
