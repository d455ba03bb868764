// The expansions of the math functions: what a Call means to a code generator.
//
// Arguments are f32 or f64; accuracy is stated in docs/numerics.md. Everything is branch-free: both
// sides of every choice are computed, so nodes are what a function costs.
#pragma once

#include "weft/expr/expr.h"

namespace weft::expr_math {

Expr expand_exp(Expr x);
Expr expand_exp2(Expr x);
Expr expand_expm1(Expr x);
Expr expand_log(Expr x);
Expr expand_log1p(Expr x);
Expr expand_log2(Expr x);
Expr expand_log10(Expr x);
Expr expand_sin(Expr x);
Expr expand_cos(Expr x);
Expr expand_tan(Expr x);
Expr expand_asin(Expr x);
Expr expand_acos(Expr x);
Expr expand_atan(Expr x);
Expr expand_sinh(Expr x);
Expr expand_cosh(Expr x);
Expr expand_tanh(Expr x);
Expr expand_sigmoid(Expr x);
Expr expand_erf(Expr x);
Expr expand_erfc(Expr x);
Expr expand_pow(Expr x, Expr y);
Expr expand_cbrt(Expr x);
Expr expand_asinh(Expr x);
Expr expand_acosh(Expr x);
Expr expand_atanh(Expr x);
Expr expand_erfinv(Expr x);
Expr expand_lgamma(Expr x);
Expr expand_digamma(Expr x);

// The expansion of one Call of these arguments, in which Calls are expanded already.
Expr expand(Fn fn, Expr a, Expr b);

// x = n ln 2 + rest; `shifted` holds n + (magic's low bits), see Rounded.
struct Reduced {
  Expr rest, n, shifted;
};
Reduced reduce_exp(Expr x, double magic);
Expr exp_polynomial(Expr r);  // e^r on that rest

}  // namespace weft::expr_math
