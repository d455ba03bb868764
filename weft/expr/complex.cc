// Complex arithmetic as pairs of real expressions: code generators see only real arithmetic, parts
// of complex inputs, and kComplex at the root.
//
// Infinities follow C99's Annex G in abs, division, square root, exp and log. Multiplication is the
// plain formula, as everywhere in the field: the repair would cost five times the product.
#include <limits>
#include <numbers>

#include "weft/base/error.h"
#include "weft/expr/build.h"

namespace weft::expr_internal {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

bool is_single(Expr a) { return real_of(a.dtype()) == DType::kF32; }
DType bits_of(Expr a) { return is_single(a) ? DType::kU32 : DType::kU64; }
int mantissa_of(Expr a) { return is_single(a) ? 23 : 52; }

Expr bits_constant(Expr like, uint64_t bits) { return Expr::constant_bits(bits_of(like), bits); }

Expr one(Expr a) { return Expr::constant(real_of(a.dtype()), 1.0); }
Expr zero(Expr a) { return Expr::constant(real_of(a.dtype()), 0.0); }

// 1 with a's sign if a is infinite, else 0 with a's sign.
Expr infinite_unit(Expr a) { return copy_sign(where(isinf(a), one(a), zero(a)), a); }

}  // namespace

Expr copy_sign(Expr magnitude, Expr sign) {
  const Expr mask = bits_constant(sign, uint64_t{1} << (is_single(sign) ? 31 : 63));
  const Expr bits = bitcast(abs(magnitude), bits_of(sign)) | (bitcast(sign, bits_of(sign)) & mask);
  return bitcast(bits, sign.dtype());
}

Scale scale_of(Expr a) {
  const int m = mantissa_of(a);
  const uint64_t bias = is_single(a) ? 127 : 1023;
  const Expr field = bitcast(abs(a), bits_of(a)) & bits_constant(a, (2 * bias + 1) << m);
  // Exponents from 2^(1 - bias + 2) on, so that the reciprocal is normal too.
  const Expr low = bits_constant(a, uint64_t{3} << m), high = bits_constant(a, (2 * bias - 3) << m);
  const Expr clamped = where(field < low, low, where(high < field, high, field));
  return {bitcast(clamped, a.dtype()),
          bitcast(bits_constant(a, (2 * bias) << m) - clamped, a.dtype())};
}

Expr complex_mul(Expr a, Expr b) {
  const Expr ar = real(a), ai = imag(a), br = real(b), bi = imag(b);
  return make_complex(ar * br - ai * bi, ar * bi + ai * br);
}

// Both divided by a power of two near the divisor, then by its squared modulus (Annex G's repairs).
Expr complex_div(Expr x, Expr y) {
  const Expr a = real(x), b = imag(x), c0 = real(y), d0 = imag(y);
  const Scale scale = scale_of(where(abs(c0) < abs(d0), abs(d0), abs(c0)));
  // A quarter, so that a*c + b*d cannot overflow where the quotient does not.
  const Expr down = scale.reciprocal * 0.25;
  const Expr c = c0 * down, d = d0 * down;
  const Expr modulus = c * c + d * d;
  const Expr re = (a * c + b * d) / modulus * down, im = (b * c - a * d) / modulus * down;

  const Expr finite_x = (abs(a) < kInf) & (abs(b) < kInf);
  const Expr finite_y = (abs(c0) < kInf) & (abs(d0) < kInf);
  const Expr by_zero = (c0 == 0) & (d0 == 0);
  const Expr infinite_x = isinf(a) | isinf(b), infinite_y = isinf(c0) | isinf(d0);
  const Expr pole = copy_sign(Expr::constant(a.dtype(), kInf), c0);
  const Expr ua = infinite_unit(a), ub = infinite_unit(b);
  const Expr uc = infinite_unit(c0), ud = infinite_unit(d0);
  const Expr grows = infinite_x & finite_y, vanishes = finite_x & infinite_y;
  const Expr infinity = Expr::constant(a.dtype(), kInf);
  const auto repaired = [&](Expr plain, Expr at_pole, Expr grown, Expr vanished) {
    return where(by_zero, at_pole,
                 where(grows, infinity * grown, where(vanishes, zero(a) * vanished, plain)));
  };
  return make_complex(repaired(re, pole * a, ua * c0 + ub * d0, a * uc + b * ud),
                      repaired(im, pole * b, ub * c0 - ua * d0, b * uc - a * ud));
}

Expr complex_abs(Expr a) {
  const Expr x = abs(real(a)), y = abs(imag(a));
  const Expr flat = y < x;
  const Expr large = where(flat, x, y), small = where(flat, y, x);
  const Scale scale = scale_of(large);
  const Expr u = large * scale.reciprocal, v = small * scale.reciprocal;
  const Expr modulus = sqrt(fma(u, u, v * v)) * scale.value;
  // An infinite part decides, even beside a NaN.
  return where((x == kInf) | (y == kInf), kInf, modulus);
}

// Kahan's: the part that does not cancel by a root, the other one by division.
Expr complex_sqrt(Expr z) {
  const Expr x = real(z), y = imag(z);
  const Expr ax = abs(x), ay = abs(y);
  // Scaled by an even power of two, so that neither |z| nor |x| + |z| overflows or underflows.
  const double up = is_single(z) ? 0x1p60 : 0x1p600, limit = is_single(z) ? 0x1p-60 : 0x1p-500;
  const double root_up = is_single(z) ? 0x1p-30 : 0x1p-300;
  const Expr tiny = (ax < limit) & (ay < limit);
  const Expr factor = where(tiny, up, Expr::constant(x.dtype(), 0.0625));
  const Expr sx = ax * factor, sy = ay * factor;
  const Expr t = sqrt((sx + complex_abs(make_complex(sx, sy))) * 0.5);
  const Expr root = t * where(tiny, root_up, Expr::constant(x.dtype(), 4.0));
  const Expr other = where(t == 0, ay, ay / (root * 2.0));
  const Expr right = copy_sign(one(x), x) > 0;
  const Expr re = where(right, root, other), im = copy_sign(where(right, other, root), y);
  // An infinite imaginary part decides; an infinite real part leaves 0 of the other one, or NaN.
  const Expr at_inf = ax == kInf, rest = ay * 0.0;
  const Expr re_inf = where(right, kInf, rest);
  const Expr im_inf = copy_sign(where(right, rest, Expr::constant(x.dtype(), kInf)), y);
  return make_complex(where(ay == kInf, kInf, where(at_inf, re_inf, re)),
                      where(ay == kInf, y, where(at_inf, im_inf, im)));
}

}  // namespace weft::expr_internal
