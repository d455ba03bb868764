// digamma of f64: its root taken out as a factor, negative arguments by reflection.
#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/gamma.h"

namespace weft::expr_math {
namespace {

constexpr double kPi = 0x1.921fb54442d18p+1, kPiLow = 0x1.1a62633145c07p-53;

// digamma(1 + v) for v >= 0. Up to 8 as (1 + v - root) R(v) with a polynomial for each half octave
// of 1 + v, which the bits of it choose; then log(y) - 1 / (2y) - tail.
Expr right_digamma(Expr v) {
  const Expr y = v + 1.0;
  const Expr piece = shift_right(bits(y), bits_of(y, 51)) & bits_of(y, 7);
  const auto entry = [&](std::span<const double> table) {
    return lookup(table, piece, DType::kF64);
  };
  // 1 + v - root and 1 + v - centre without rounding 1 + v.
  const Expr from_root = (v - (kDigammaRoot[0] - 1.0)) - kDigammaRoot[1];
  const Expr t = v - entry(kDigammaCentre);
  const std::span<const double> tables(kDigammaNear);
  const auto term = [&](size_t i) { return entry(tables.subspan(8 * i, 8)); };
  const size_t degree = tables.size() / 8 - 1;
  Expr rest = term(degree);
  for (size_t i = degree; --i > 0;) rest = fma(rest, t, term(i));
  rest = fma(rest, t, entry(kDigammaNearLow));
  const Expr near = fma(from_root, term(0), from_root * rest);
  const Expr inverse = literal(y, 1.0) / y, z = inverse * inverse;
  const Expr far = expand_log(y) - fma(z, polynomial(z, kDigammaF64), inverse * 0.5);
  return where(y < 8, near, far);
}

}  // namespace

// digamma(x) = digamma(1 + x) - 1 / x below 1, and digamma(1 - x) - pi / tan(pi x) below 0; poles
// there have no sign, so NaN, but for the zeros.
Expr digamma_f64(Expr x) {
  const Expr negative = bitcast(x, DType::kI64) < 0, ax = abs(x);
  const Expr value = right_digamma(where(x >= 1, x - 1.0, ax));
  const Expr right = value - where(x < 1, literal(x, 1.0) / x, 0.0);
  const Expr r = x - round(x);
  const PairTurn turn = pair_turn(r);
  const Pair top = where(turn.is_near, turn.cosine, turn.sine);
  const Pair bottom = where(turn.is_near, turn.sine, turn.cosine);
  const Expr cotangent = top.high / bottom.high;
  const Expr lost = fma(-cotangent, bottom.high, top.high) + fma(-cotangent, bottom.low, top.low);
  const Pair scaled = product(cotangent, literal(x, kPi));
  const Expr low = scaled.low + fma(cotangent, literal(x, kPiLow), lost / bottom.high * kPi);
  const Expr is_sure = scaled.high < 0x1p1000;
  const Expr sign = where(r < 0, literal(x, 1.0), literal(x, -1.0));
  const Expr reflected = fma(sign, scaled.high, value) + where(is_sure, sign * low, 0.0);
  const Expr pole = where(x == 0, kInf, literal(x, kNaN));
  return where(negative, where(r == 0, pole, reflected), right);
}

}  // namespace weft::expr_math
