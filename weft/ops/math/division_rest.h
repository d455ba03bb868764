// The rest of dividing floats, exact as far as a quotient can be: what remainder and fmod share.
#pragma once

#include <limits>

#include "weft/expr/expr.h"

namespace weft {

// The rest of the nearest quotient. With fma it is exact, even where the quotient was rounded: then
// it is a multiple of b short of the rest, and 53 bits closer to it.
inline Expr reduce_once(Expr a, Expr b) {
  const Expr quotient = round(a / b);
  // A quotient of zero leaves all of a, also where b is infinite and 0 * b would be NaN.
  return where(quotient == 0, a, fma(-quotient, b, a));
}

// The same for a finite b by its reciprocal, whose product with `a` misses the quotient by two
// units in its last place at most: 51 bits closer. A float32 has a reciprocal that float64 holds in
// full.
inline Expr reduce_by(Expr a, Expr b, Expr reciprocal) { return fma(-round(a * reciprocal), b, a); }

// The rest of the nearest quotient of a and b (f64, of which `from` was converted): the quotient of
// two float32 numbers has at most 277 bits there, that of two float64 numbers at most 1024 bits or
// it is infinite.
inline Expr nearest_rest(Expr a, Expr b, DType from) {
  Expr rest = a;
  if (from == DType::kF64) {
    for (int i = 0; i < 20; ++i) rest = reduce_once(rest, b);
    return rest;
  }
  const Expr reciprocal = Expr::constant(DType::kF64, 1.0) / b;  // one division for all steps
  for (int i = 0; i < 6; ++i) rest = reduce_by(rest, b, reciprocal);
  return where(reciprocal == 0, a + a * reciprocal, rest);  // an infinite b leaves a finite a
}

// Whether a / b is infinite though both are numbers and b is not 0: then no rest was found.
inline Expr out_of_reach(Expr a, Expr b, Expr rest) {
  const double inf = std::numeric_limits<double>::infinity();
  return (abs(a) < inf) & (abs(b) > 0) & !(abs(rest) <= abs(b));
}

}  // namespace weft
