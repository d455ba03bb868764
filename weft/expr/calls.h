// The math functions by libm in long double: what references and language constants use.
#pragma once

#include "weft/expr/expr.h"

namespace weft::expr_internal {

long double call_libm(Fn fn, long double a, long double b);

}  // namespace weft::expr_internal
