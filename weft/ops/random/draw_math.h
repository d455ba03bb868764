// log, exp and sums of logs in f64 by arithmetic alone: the bits of a draw do not depend on the C
// library or on what its functions choose by CPUID.
#pragma once

#include <cmath>
#include <limits>

namespace weft::random {

// The natural logarithm of a positive finite number, to 2 ulp.
inline double draw_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), square = s * s;  // at most 0.0295
  double series = 0;
  for (int k = 23; k >= 3; k -= 2) series = series * square + 1.0 / k;
  const double e = exponent;
  return e * 0x1.62e42fee00000p-1 + (2 * s + (2 * s * square * series + e * 0x1.a39ef35793c76p-33));
}

// e^x, to 2 ulp; 0 below the normal numbers.
inline double draw_exp(double x) {
  if (!(x > -708)) return x != x ? x : 0;
  if (x > 709) return std::numeric_limits<double>::infinity();
  const double k = std::floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
  double series = 1;
  for (int n = 13; n >= 1; --n) series = 1 + series * r / n;
  return std::ldexp(series, static_cast<int>(k));  // exact
}

// log(k!) - ((k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2), the rest of Stirling's formula.
inline double stirling_rest(double k) {
  if (k < 10) {
    double factorial = 1;
    for (int i = 2; i <= static_cast<int>(k); ++i) factorial *= i;
    return draw_log(factorial) - ((k + 0.5) * draw_log(k + 1) - (k + 1) + 0.91893853320467274);
  }
  const double r = 1 / (k + 1), square = r * r;
  return r * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)));
}

inline double log_factorial(double k) {
  return (k + 0.5) * draw_log(k + 1) - (k + 1) + 0.91893853320467274 + stirling_rest(k);
}

// The derivative of log(Gamma(x)) for x > 0.
inline double draw_digamma(double x) {
  double shift = 0;
  for (; x < 12; x += 1) shift -= 1 / x;
  const double r = 1 / (x * x);
  const double series =
      r * (1.0 / 12 -
           r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * 691 / 32760)))));
  return shift + draw_log(x) - 0.5 / x - series;
}

// The derivative of that.
inline double draw_trigamma(double x) {
  double shift = 0;
  for (; x < 12; x += 1) shift += 1 / (x * x);
  const double r = 1 / (x * x);
  const double series =
      r * (1.0 / 6 -
           r * (1.0 / 30 - r * (1.0 / 42 - r * (1.0 / 30 - r * (5.0 / 66 - r * 691 / 2730)))));
  return shift + (1 + 0.5 / x + series) / x;
}

}  // namespace weft::random
