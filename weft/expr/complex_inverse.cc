// asin, acos, atan and their hyperbolic kin of complex arguments: Kahan's formulas ("Branch Cuts
// for Complex Elementary Functions", 1987), in which nothing cancels and signed zeros choose the
// side of a cut. Infinities follow C99's Annex G.
#include <limits>
#include <numbers>

#include "weft/expr/build.h"

namespace weft::expr_internal {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kHalfPi = std::numbers::pi / 2;

Expr like(Expr x, double value) { return Expr::constant(x.dtype(), value); }

struct Roots {
  Expr plus, minus;  // sqrt(1 + z), sqrt(1 - z)
};
Roots roots(Expr z) {
  const Expr x = real(z), y = imag(z);
  return {complex_sqrt(make_complex(x + 1.0, y)), complex_sqrt(make_complex(like(x, 1.0) - x, -y))};
}

// The imaginary part of conj(a) b.
Expr cross(Expr a, Expr b) { return real(a) * imag(b) - imag(a) * real(b); }

}  // namespace

Expr complex_asin(Expr z) {
  const Expr x = real(z), y = imag(z);
  const Roots s = roots(z);
  const Expr below = real(s.plus) * real(s.minus) - imag(s.plus) * imag(s.minus);
  const Expr re = atan2(x, below), im = asinh(cross(s.minus, s.plus));
  const Expr infinite = isinf(x) | isinf(y);
  return make_complex(where((x == 0) & isnan(y), x, where(infinite, atan2(x, abs(y)), re)),
                      where(infinite, copy_sign(like(y, kInf), y), im));
}

Expr complex_acos(Expr z) {
  const Expr x = real(z), y = imag(z);
  const Roots s = roots(z);
  const Expr re = atan2(real(s.minus), real(s.plus)) * 2.0, im = asinh(cross(s.plus, s.minus));
  const Expr infinite = isinf(x) | isinf(y);
  return make_complex(where((x == 0) & isnan(y), kHalfPi, where(infinite, atan2(abs(y), x), re)),
                      where(infinite, copy_sign(like(y, kInf), -y), im));
}

// The same two numbers as acos, turned so that the real part is positive.
Expr complex_acosh(Expr z) {
  const Expr w = complex_acos(z);
  return make_complex(abs(imag(w)), copy_sign(real(w), imag(z)));
}

// For x >= 0: log1p(4x / ((1 - x)^2 + y^2)) / 4 + i atan2(2y, (1 - x)(1 + x) - y^2) / 2.
Expr complex_atanh(Expr z) {
  const Expr x = real(z), y = imag(z), ax = abs(x), ay = abs(y);
  const bool single = x.dtype() == DType::kF32;
  const Expr far = (ax > (single ? 0x1p62 : 0x1p510)) | (ay > (single ? 0x1p62 : 0x1p510));
  const Expr infinite = isinf(x) | isinf(y);
  const Expr from_one = like(x, 1.0) - ax;
  const Expr h = complex_abs(make_complex(from_one, ay)), modulus = complex_abs(z);
  // Near 1, where h^2 is nothing beside 4x, the logarithm of the quotient is that of its parts.
  const Expr close = (Expr(std::numbers::ln2) - log(h)) * 0.5;
  const Expr usual = log1p(ax / h / h * 4.0) * 0.25;
  const Expr near = where(h < (single ? 0x1p-14 : 0x1p-30), close, usual);
  const Expr size = where(infinite, 0.0, where(far, ax / modulus / modulus, near));
  const Expr angle = atan2(y + y, fma(from_one, ax + 1.0, -(y * y))) * 0.5;
  const Expr right = copy_sign(like(y, kHalfPi), y);
  const Expr open = isnan(y) | (isnan(x) & (ay < kInf));
  const Expr im = where(open, x + y, where(far | infinite, right, angle));
  return make_complex(where((x == 0) & isnan(y), x, copy_sign(size, x)), im);
}

}  // namespace weft::expr_internal
