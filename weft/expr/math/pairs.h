// Pair: an f64 and what its rounding lost, for results that need more than 53 bits on the way.
#pragma once

#include "weft/expr/math/pieces.h"

namespace weft::expr_math {

struct Pair {
  Expr high, low;
};

// The sum of two, where |a| >= |b| or a = 0.
inline Pair fast_sum(Expr a, Expr b) {
  const Expr sum = a + b;
  return {sum, (a - sum) + b};
}
// The same for any a and b.
inline Pair two_sum(Expr a, Expr b) {
  const Expr sum = a + b, from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}
inline Pair product(Expr a, Expr b) {
  const Expr high = a * b;
  return {high, fma(a, b, -high)};
}
inline Pair product(Pair a, Pair b) {
  const Pair heads = product(a.high, b.high);
  return {heads.high, heads.low + fma(a.high, b.low, a.low * b.high)};
}
inline Pair where(Expr condition, Pair a, Pair b) {
  return {where(condition, a.high, b.high), where(condition, a.low, b.low)};
}

// A positive f64 as 2^exponent (1 + fraction) with 1 + fraction in [sqrt(1/2), sqrt(2)).
struct Split {
  Expr exponent, fraction;
};
Split split_normal(Expr x);
Split split_any(Expr x);  // denormals too

// log(1 + f) for such a fraction, and log(x) for finite x > 0, to about 2^-64.
Pair log_of_fraction(Expr f);
Pair log_pair(Expr x);

}  // namespace weft::expr_math
