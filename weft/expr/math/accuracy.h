// Measures an expansion against libm: the error in units of the last place, for tests and sweeps.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "weft/expr/calls.h"
#include "weft/expr/evaluate.h"
#include "weft/expr/expr.h"

namespace weft::expr_math {

// Distance from the exact value in ulps of T at that value; infinite if the kind of value is wrong
// (NaN, infinity or the sign of a zero). `least` is the smallest size at which ulps are counted.
template <class T, class Exact>
double ulps(T got, Exact exact, double least = 0) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(got)) {
    return std::isnan(exact) == std::isnan(got) ? 0.0 : HUGE_VAL;
  }
  if ((exact == 0 || got == 0) && least == 0) {
    if (std::signbit(exact) != std::signbit(got)) return HUGE_VAL;
  }
  if (std::isinf(exact)) return static_cast<Exact>(got) == exact ? 0.0 : HUGE_VAL;
  int exponent = 0;
  std::frexp(std::fabs(exact) < static_cast<Exact>(least) ? static_cast<Exact>(least) : exact,
             &exponent);
  const int lowest = exponent < Limits::min_exponent || (exact == 0 && least == 0)
                         ? Limits::min_exponent
                         : exponent;
  const int place = lowest < Limits::max_exponent ? lowest : Limits::max_exponent;
  // An infinity stands for the first power of two that has no T.
  const Exact value = std::isinf(got)
                          ? std::copysign(std::ldexp(Exact{1}, Limits::max_exponent), Exact{got})
                          : static_cast<Exact>(got);
  const Exact far = std::ldexp(Exact{1}, Limits::max_exponent);
  if (std::isinf(got) && std::fabs(exact) >= far) return 0.0;
  return static_cast<double>(std::ldexp(std::fabs(value - exact), Limits::digits - place));
}

inline double exact_value(Fn fn, float a, float b) {
  // 53 bits are exact enough for 24, and much faster than long double.
  const double x = a, y = b;
  switch (fn) {
    case Fn::kExp: return std::exp(x);
    case Fn::kExpm1: return std::expm1(x);
    case Fn::kExp2: return std::exp2(x);
    case Fn::kLog: return std::log(x);
    case Fn::kLog1p: return std::log1p(x);
    case Fn::kLog2: return std::log2(x);
    case Fn::kLog10: return std::log10(x);
    case Fn::kSin: return std::sin(x);
    case Fn::kCos: return std::cos(x);
    case Fn::kTan: return std::tan(x);
    case Fn::kAsin: return std::asin(x);
    case Fn::kAcos: return std::acos(x);
    case Fn::kAtan: return std::atan(x);
    case Fn::kSinh: return std::sinh(x);
    case Fn::kCosh: return std::cosh(x);
    case Fn::kTanh: return std::tanh(x);
    case Fn::kSigmoid: return 1.0 / (1.0 + std::exp(-x));
    case Fn::kErf: return std::erf(x);
    case Fn::kErfc: return std::erfc(x);
    case Fn::kPow: return std::pow(x, y);
    case Fn::kCbrt: return std::cbrt(x);
    case Fn::kAsinh: return std::asinh(x);
    case Fn::kAcosh: return std::acosh(x);
    case Fn::kAtanh: return std::atanh(x);
    case Fn::kErfinv:
    case Fn::kLgamma:
    case Fn::kDigamma: return static_cast<double>(expr_internal::call_libm(fn, x, y));
  }
  return 0;
}
inline long double exact_value(Fn fn, double a, double b) {
  return expr_internal::call_libm(fn, a, b);
}

// The smallest size at which ulps are counted. Where lgamma and digamma of negative numbers cross 0
// nothing but the size of their terms bounds the error; where digamma crosses it at 1.46, libm's
// sum of terms has no more digits (a test has values there).
inline double least_size(Fn fn, double x) {
  if (fn == Fn::kLgamma && x < 0) return 1.0;
  if (fn != Fn::kDigamma) return 0.0;
  return x < 0 ? 1.0 + std::log1p(-x) : 0x1p-6;
}

// The bounds of docs/numerics.md.
inline double bound_of(Fn fn, DType dtype, double x) {
  if (dtype == DType::kF64) return 2.5;
  switch (fn) {
    case Fn::kCbrt:
    case Fn::kAsinh:
    case Fn::kAcosh:
    case Fn::kAtanh:
    case Fn::kErfinv:
    case Fn::kLgamma:
    case Fn::kDigamma: return 1.0;
    case Fn::kExp:
    case Fn::kExp2:
    case Fn::kLog:
    case Fn::kLog2:
    case Fn::kLog10: return 1.5;
    case Fn::kExpm1:
    case Fn::kLog1p: return 2.0;
    case Fn::kErf:
    case Fn::kTanh:
    case Fn::kSigmoid: return 2.5;
    case Fn::kSin:
    case Fn::kCos: return std::fabs(x) < 1e5 ? 1.5 : 4.0;
    default: return 3.0;
  }
}

template <class T>
struct Worst {
  double ulps = 0;
  T at = 0, exponent = 0;  // where, and pow's second argument there
  bool within = true;      // every point within its bound
};

// Surely below the worst error so far and below every bound, for ordinary floats: the unit of the
// last place is read off the exponent, which spares nine tenths of the time.
inline bool is_unremarkable(float got, double exact, double worst) {
  const double size = std::fabs(exact);
  if (!(size > 0x1p-125 && size < 0x1p126)) return false;
  const uint64_t exponent = std::bit_cast<uint64_t>(size) & 0x7ff0000000000000u;
  const double unit = std::bit_cast<double>(exponent - (uint64_t{23} << 52));
  return std::fabs(static_cast<double>(got) - exact) < 0.99 * unit * (worst < 1.4 ? worst : 1.4);
}
inline bool is_unremarkable(double, long double, double) { return false; }

// One function over arrays of points.
template <class T>
class Accuracy {
 public:
  static constexpr DType kDType = sizeof(T) == 4 ? DType::kF32 : DType::kF64;

  explicit Accuracy(Fn fn) : fn_(fn), evaluator_(expanded(fn)) {}

  static Expr expanded(Fn fn) {
    const Expr x = Expr::input(0, kDType);
    return expand_calls(fn == Fn::kPow ? call(fn, x, Expr::input(1, kDType)) : call(fn, x));
  }

  void measure(const T* x, const T* y, size_t n, Worst<T>& worst) {
    results_.resize(n);
    evaluator_.run({x, y}, results_.data(), n);
    for (size_t i = 0; i < n; ++i) {
      const auto exact = exact_value(fn_, x[i], y[i]);
      if (is_unremarkable(results_[i], exact, worst.ulps)) continue;
      const double error = ulps(results_[i], exact, least_size(fn_, static_cast<double>(x[i])));
      if (error > bound_of(fn_, kDType, static_cast<double>(x[i]))) worst.within = false;
      if (error > worst.ulps) worst.ulps = error, worst.at = x[i], worst.exponent = y[i];
    }
  }

 private:
  Fn fn_;
  Evaluator evaluator_;
  std::vector<T> results_;
};

}  // namespace weft::expr_math
