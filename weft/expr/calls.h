// The math functions by libm in long double: what references and language constants use.
#pragma once

#include "weft/expr/expr.h"

namespace weft::expr_internal {

long double call_libm(Fn fn, long double a, long double b);

// What libm lacks, or has with a global variable beside it: in special_libm.cc.
long double erfinv_libm(long double y);
long double lgamma_libm(long double x);
long double digamma_libm(long double x);

}  // namespace weft::expr_internal
