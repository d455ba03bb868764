// How the parts of expr/ make nodes: dtype checks, weak constants, folding, complex pairs.
#pragma once

#include <string_view>

#include "weft/expr/expr.h"

namespace weft::expr_internal {

// The node `op` of the arguments with this result dtype: folded, or interned.
Expr make(ExprOp op, DType dtype, std::initializer_list<Expr> args);

// `a` as `dtype`: weak constants (and selects of them) adapt, anything else must have it already.
Expr adapt(std::string_view who, Expr a, DType dtype);

// Gives both the dtype of the one that is not weak.
void unify(std::string_view who, Expr& a, Expr& b);

// Requires real floating arithmetic in f32 or f64, or (number) also integers.
void require_float(std::string_view who, Expr a);
void require_number(std::string_view who, Expr a);

// Complex counterparts of the functions in expr.h; both arguments are complex of equal dtype.
Expr complex_mul(Expr a, Expr b);
Expr complex_div(Expr a, Expr b);
Expr complex_abs(Expr a);
Expr complex_sqrt(Expr a);
Expr complex_call(Fn fn, Expr a);
Expr complex_pow(Expr a, Expr b);
Expr complex_asin(Expr z);
Expr complex_acos(Expr z);
Expr complex_acosh(Expr z);
Expr complex_atanh(Expr z);

// `magnitude`'s absolute value with the sign of `sign` (f32 and f64).
Expr copy_sign(Expr magnitude, Expr sign);

// A power of two near |a|, of normal exponent and with a normal reciprocal, and that reciprocal.
struct Scale {
  Expr value, reciprocal;
};
Scale scale_of(Expr a);

}  // namespace weft::expr_internal
