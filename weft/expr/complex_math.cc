// Math functions of complex arguments, built of the real ones.
#include <limits>
#include <numbers>

#include "weft/base/error.h"
#include "weft/expr/build.h"

namespace weft::expr_internal {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Expr constant_like(Expr a, double value) { return Expr::constant(real_of(a.dtype()), value); }

// a * b where a zero b means zero, whatever a is: overflowing exponentials meet sin(0).
Expr scaled(Expr a, Expr b) { return where(b == 0, b, a * b); }

// An angle without a place on the circle: sin and cos are NaN.
Expr is_wild(Expr angle) { return !(abs(angle) < kInf); }

Expr complex_exp(Expr z) {
  const Expr x = real(z), y = imag(z);
  // Beyond the largest exponent a small cosine still brings the product back: two factors.
  const double bound = x.dtype() == DType::kF32 ? 88.0 : 709.0;
  const Expr large = x > bound;
  const Expr e = exp(where(large, x - 64.0, x));
  const Expr rest = where(large, constant_like(x, 6.235149080811616882909e27), 1.0);  // e^64
  const Expr vanishes = (x == -kInf) & is_wild(y);  // 0, also times cos(inf)
  const Expr re = where(vanishes, 0.0, e * cos(y) * rest);
  const Expr im = where(y == 0, y, where(vanishes, 0.0, e * sin(y) * rest));
  // exp(inf + i*inf) has an infinite real part of unknown sign.
  return make_complex(where((x == kInf) & is_wild(y), kInf, re), im);
}

// log|z|: near the unit circle by log1p of |z|^2 - 1, which is then exact enough.
Expr log_modulus(Expr z) {
  const Expr x = abs(real(z)), y = abs(imag(z));
  const Expr flat = y < x;
  const Expr large = where(flat, x, y), small = where(flat, y, x);
  const Expr excess = fma(large - 1.0, large + 1.0, small * small);
  const Expr near = (large < 1.5) & (large > 0.5) & (abs(excess) < 0.5);
  // Away from it the modulus is scaled, so that it is never infinite or denormal.
  const Scale scale = scale_of(large);
  const Expr modulus = complex_abs(make_complex(x * scale.reciprocal, y * scale.reciprocal));
  const Expr far = log(modulus) + log(scale.value);
  return where((x == kInf) | (y == kInf), kInf, where(near, log1p(excess) * 0.5, far));
}

Expr complex_log(Expr z) { return make_complex(log_modulus(z), atan2(imag(z), real(z))); }

Expr scaled_parts(Expr z, double factor) {
  const Expr c = constant_like(z, factor);
  return make_complex(real(z) * c, imag(z) * c);
}

// sinh and cosh; sin z = -i sinh(iz), cos z = cosh(iz).
Expr complex_sinh(Expr z) {
  const Expr x = real(z), y = imag(z);
  const Expr keeps = ((x == 0) | isinf(x)) & is_wild(y);
  return make_complex(where(keeps, x, sinh(x) * cos(y)), scaled(cosh(x), sin(y)));
}
Expr complex_cosh(Expr z) {
  const Expr x = real(z), y = imag(z);
  const Expr sign = copy_sign(constant_like(x, 1.0), x);
  // On the axes the imaginary part is a zero, also where sinh is infinite or sin is NaN.
  const Expr im = where((x == 0) & is_wild(y), x, sinh(x) * sin(y));
  return make_complex(where(isinf(x) & is_wild(y), kInf, cosh(x) * cos(y)),
                      where(y == 0, sign * y, im));
}

// Kahan's, with sinh squared kept from overflowing by the limit value.
Expr complex_tanh(Expr z) {
  const Expr x = real(z), y = imag(z);
  const double far = x.dtype() == DType::kF32 ? 11.0 : 22.0;
  const Expr is_far = abs(x) >= far;  // not so for NaN, which goes through
  const Expr t = tan(y), s = sinh(where(is_far, 0.0, x));
  const Expr beta = fma(t, t, constant_like(x, 1.0));
  const Expr rho = sqrt(fma(s, s, constant_like(x, 1.0)));
  const Expr denominator = fma(beta, s * s, constant_like(x, 1.0));
  const Expr steep = isinf(t) | (beta == kInf);
  // On the axes the other part is the zero it was, whatever this one is.
  const Expr re = where(x == 0, x, where(steep, rho / s, beta * rho * s / denominator));
  const Expr im = where(y == 0, y, where(steep, constant_like(x, 0.0), t / denominator));
  const Expr sign = copy_sign(constant_like(x, 1.0), x);
  const Expr tail = sin(y) * cos(y) * 4.0 * exp(abs(x) * -2.0);
  // The limit of 1 is reached for every y only at infinity: y = inf is no angle.
  const Expr limit = where(isinf(x) | (abs(y) < kInf), sign, y - y);
  return make_complex(
      where(is_far, limit, re),
      where(is_far, where(isinf(x), copy_sign(constant_like(x, 0.0), y), tail), im));
}

Expr times_i(Expr z) { return make_complex(-imag(z), real(z)); }
Expr times_minus_i(Expr z) { return make_complex(imag(z), -real(z)); }

Expr complex_expm1(Expr z) {
  const Expr x = real(z), y = imag(z);
  // e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y/2)
  const Expr half = sin(y * 0.5), e = complex_exp(z);
  const Expr difference = fma(expm1(x), cos(y), half * half * -2.0);
  // At infinity the difference has no angle to work with; and a zero is positive.
  const Expr re = where(isinf(x) & is_wild(y), real(e) - 1.0, difference);
  return make_complex(where(re == 0, 0.0, re), imag(e));
}

Expr complex_log1p(Expr z) {
  const Expr x = real(z), y = imag(z);
  const Expr shifted = make_complex(x + 1.0, y);
  // |1 + z|^2 - 1 = x (x + 2) + y^2, without losing small parts.
  const Expr small = log1p(fma(x, x + 2.0, y * y)) * 0.5;
  const Expr near = (abs(x) < 0.5) & (abs(y) < 0.5);
  return make_complex(where(near, small, log_modulus(shifted)), atan2(y, x + 1.0));
}

}  // namespace

Expr complex_call(Fn fn, Expr z) {
  switch (fn) {
    case Fn::kExp: return complex_exp(z);
    case Fn::kExp2: return complex_exp(scaled_parts(z, std::numbers::ln2));
    case Fn::kExpm1: return complex_expm1(z);
    case Fn::kLog: return complex_log(z);
    case Fn::kLog2: return scaled_parts(complex_log(z), std::numbers::log2e);
    case Fn::kLog10: return scaled_parts(complex_log(z), std::numbers::log10e);
    case Fn::kLog1p: return complex_log1p(z);
    case Fn::kSinh: return complex_sinh(z);
    case Fn::kCosh: return complex_cosh(z);
    case Fn::kTanh: return complex_tanh(z);
    case Fn::kSin: return times_minus_i(complex_sinh(times_i(z)));
    case Fn::kCos: return complex_cosh(times_i(z));
    case Fn::kTan: return times_minus_i(complex_tanh(times_i(z)));
    case Fn::kAsin: return complex_asin(z);
    case Fn::kAcos: return complex_acos(z);
    case Fn::kAtan: return times_minus_i(complex_atanh(times_i(z)));
    case Fn::kAsinh: return times_minus_i(complex_asin(times_i(z)));
    case Fn::kAcosh: return complex_acosh(z);
    case Fn::kAtanh: return complex_atanh(z);
    case Fn::kSigmoid: return Expr(1.0) / (complex_exp(-z) + 1.0);
    default:
      fail(Code::kMissing, name_of(fn), "complex", "there is no ", name_of(fn), " of ", z.dtype(),
           " yet; it is defined for float32 and float64");
  }
}

// exp(b log a); 0^b is 0 for a positive real part of b, 1 for b = 0.
Expr complex_pow(Expr a, Expr b) {
  const Expr power = complex_exp(complex_mul(b, complex_log(a)));
  const Expr base_zero = (real(a) == 0) & (imag(a) == 0);
  const Expr exponent_zero = (real(b) == 0) & (imag(b) == 0);
  const Expr re = where(base_zero & (real(b) > 0), 0.0, real(power));
  const Expr im = where(base_zero & (real(b) > 0), 0.0, imag(power));
  return make_complex(where(exponent_zero, 1.0, re), where(exponent_zero, 0.0, im));
}

}  // namespace weft::expr_internal
