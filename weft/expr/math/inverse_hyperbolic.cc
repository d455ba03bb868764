// asinh, acosh and atanh: log1p of an argument without cancellation, and of what its rounding lost.
#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pieces.h"

namespace weft::expr_math {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;

// log1p(u + low), low far below u.
Expr log1p_of(Expr u, Expr low) { return expand_log1p(u) + low / (u + 1.0); }

// asinh of a positive f64: log1p(ax + ax^2 / (1 + sqrt(1 + ax^2))). From 2^60 on it is log(2 ax).
Expr wide_asinh(Expr ax) {
  const Expr one = literal(ax, 1.0), huge = ax > 0x1p60;
  const Expr v = ax * (ax / (sqrt(fma(ax, ax, one)) + one)), u = ax + v;
  const Expr low = where(huge, 0.0, (ax - u) + v);
  return log1p_of(where(huge, ax, u), low) + where(huge, kLn2, literal(ax, 0.0));
}

// acosh of an f64: log1p(t + sqrt(t^2 + 2t)) with t = x - 1, which is exact where it is small.
Expr wide_acosh(Expr x) {
  const Expr t = x - 1.0, huge = x > 0x1p60;
  const Expr root = sqrt(fma(t, t, t + t)), u = t + root;
  const Expr low = where(huge, 0.0, (root - u) + t);
  const Expr value = log1p_of(where(huge, x, u), low) + where(huge, kLn2, literal(x, 0.0));
  return where(x < 1, kNaN, value);
}

// 2 atanh(ax) = log((1 + ax) / (1 - ax)); below 0.17 the series that log uses.
Expr atanh_f64(Expr ax) {
  const Expr one = literal(ax, 1.0), z = ax * ax;
  const Expr series = fma(ax * z, polynomial(z, kLogF64) * 0.5, ax);
  const Expr n = ax + one, n_low = (one - n) + ax, d = one - ax, d_low = (one - d) - ax;
  const Expr q = n / d;
  const Expr lost = (fma(-q, d, n) + fma(-q, d_low, n_low)) / n;
  const Expr value = (expand_log(q) + where(ax < 1, lost, 0.0)) * 0.5;
  return where(ax < 0.17, series, value);
}

Expr atanh_f32(Expr ax) {
  const Expr wide = cast(ax, DType::kF64);
  return cast(expand_log1p((wide + wide) / (literal(wide, 1.0) - wide)) * 0.5, DType::kF32);
}

}  // namespace

Expr expand_asinh(Expr x) {
  const Expr result = cast(wide_asinh(cast(abs(x), DType::kF64)), x.dtype());
  return where(abs(x) < kInf, with_sign_of(result, x), x);
}

Expr expand_acosh(Expr x) {
  const Expr result = cast(wide_acosh(cast(x, DType::kF64)), x.dtype());
  return where(x == kInf, x, result);
}

Expr expand_atanh(Expr x) {
  const Expr ax = abs(x);
  const Expr result = is_f32(x) ? atanh_f32(ax) : atanh_f64(ax);
  return where(ax > 1, kNaN, with_sign_of(result, x));
}

}  // namespace weft::expr_math
