// The expansions of the math functions: what a Call means to a code generator.
#pragma once

#include "weft/expr/expr.h"

namespace weft::expr_math {

// One per function, for arguments of f32 or f64; accuracy is stated in docs/numerics.md.
Expr expand_exp(Expr x);

// The expansion of one Call of these arguments (already expanded themselves).
Expr expand(Fn fn, Expr a, Expr b);

}  // namespace weft::expr_math
