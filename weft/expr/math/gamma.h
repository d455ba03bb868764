// What lgamma and digamma of f64 share: sin and cos of pi times a number, in pairs.
#pragma once

#include "weft/expr/math/pairs.h"

namespace weft::expr_math {

// For |r| <= 1/2: of pi |r| up to 1/4, of pi/2 - pi |r| beyond, where sine and cosine change
// places.
struct PairTurn {
  Expr is_near;
  Pair sine, cosine;
};
PairTurn pair_turn(Expr r);

Expr digamma_f64(Expr x);

}  // namespace weft::expr_math
