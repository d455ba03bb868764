// cbrt: a third of the exponent, a polynomial's guess at the rest, and one step of Halley's method.
#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pieces.h"

namespace weft::expr_math {
namespace {

constexpr double kCbrt2 = 0x1.428a2f98d728bp+0, kCbrt4 = 0x1.965fea53d6e3dp+0;

// A positive, normal f64. With 2^(3q + r) m = ax, the root is 2^q cbrt(2^r m), r in {-1, 0, 1}.
Expr root(Expr ax, std::span<const double> guess) {
  const Expr start = bits_of(ax, 0x3fe6a09e667f3bcd);  // sqrt(1/2), as in log
  const Expr offset = bits(ax) - start;
  const Expr field = shift_right(offset + bits_of(ax, uint64_t{2048} << 52), 52);
  const Expr exponent = from_bits(field | bits_of(ax, 0x4330000000000000)) - (0x1p52 + 2048);
  const Expr m = from_bits((offset & bits_of(ax, (uint64_t{1} << 52) - 1)) + start);
  const double magic = magic_of(ax, bias_of(ax));
  const Rounded q = rounded(fma(exponent, literal(ax, 1.0 / 3), literal(ax, magic)), magic);
  const Expr r = fma(q.value, literal(ax, -3.0), exponent);
  const Expr above = r > 0, below = r < 0;
  const Expr a = m * where(above, 2.0, where(below, literal(ax, 0.5), 1.0));
  const Expr factor = where(above, kCbrt2, where(below, literal(ax, kCbrt4 / 2), 1.0));
  const Expr t = polynomial(m - 1.0, guess) * factor;
  const Expr cube = t * t * t, lost = fma(-(t * t), t, a);  // a - t^3
  const Expr better = fma(t, lost / fma(cube, literal(ax, 2.0), a), t);
  return better * power_of_two(q.shifted, ax);
}

}  // namespace

Expr expand_cbrt(Expr x) {
  // f32 in f64, where no number is denormal.
  const Expr ax = cast(abs(x), DType::kF64);
  const Expr small = ax < 0x1p-1022;
  const Expr scaled = is_f32(x) ? ax : where(small, ax * 0x1p54, ax);
  const Expr wide = is_f32(x) ? root(scaled, kCbrtF32) : root(scaled, kCbrtF64);
  const Expr result = is_f32(x) ? cast(wide, DType::kF32) : where(small, wide * 0x1p-18, wide);
  // 0, infinities and NaN are their own.
  return where((x == 0) | !(abs(x) < kInf), x, with_sign_of(result, x));
}

}  // namespace weft::expr_math
