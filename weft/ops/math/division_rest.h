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

// The rest of the nearest quotient of a and b (f64, of which `from` was converted): the quotient of
// two float32 numbers has at most 277 bits there, that of two float64 numbers at most 1024 bits or
// it is infinite.
inline Expr nearest_rest(Expr a, Expr b, DType from) {
  const int steps = from == DType::kF64 ? 20 : 6;
  Expr rest = a;
  for (int i = 0; i < steps; ++i) rest = reduce_once(rest, b);
  return rest;
}

// Whether a / b is infinite though both are numbers and b is not 0: then no rest was found.
inline Expr out_of_reach(Expr a, Expr b, Expr rest) {
  const double inf = std::numeric_limits<double>::infinity();
  return (abs(a) < inf) & (abs(b) > 0) & !(abs(rest) <= abs(b));
}

}  // namespace weft
