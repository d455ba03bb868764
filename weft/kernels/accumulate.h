// How an update joins the element it meets: set, add, multiply, min or max, for every dtype.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "weft/core/half.h"
#include "weft/core/native.h"

namespace weft::kernels {

// What elements of storage type T are joined in: half floats in f32, rounded once at the end.
template <class T>
struct Sum {
  using Type = T;
  static T widen(T value) { return value; }
  static T narrow(T value) { return value; }
};
template <class T>
struct SumOfHalves {
  using Type = float;
  static float widen(T value) { return value.to_float(); }
  static T narrow(float value) { return T::from_float(value); }
};
template <>
struct Sum<Half> : SumOfHalves<Half> {};
template <>
struct Sum<BFloat16> : SumOfHalves<BFloat16> {};

template <class T>
inline constexpr bool is_complex_type =
    std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

// The one NaN.
template <class T>
T canonical(T value) {
  if constexpr (is_complex_type<T>) {
    return {canonical(value.re), canonical(value.im)};
  } else if constexpr (std::is_floating_point_v<T>) {
    return value == value ? value : std::numeric_limits<T>::quiet_NaN();
  } else {
    return value;
  }
}

template <class T>
T added(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_floating_point_v<T>) {
    return canonical(a + b);
  } else if constexpr (is_complex_type<T>) {
    return {added(a.re, b.re), added(a.im, b.im)};
  } else {
    using Unsigned = std::make_unsigned_t<T>;  // integers wrap
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  }
}

template <class T>
T multiplied(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else if constexpr (std::is_floating_point_v<T>) {
    return canonical(a * b);
  } else if constexpr (is_complex_type<T>) {
    return {canonical(a.re * b.re - a.im * b.im), canonical(a.re * b.im + a.im * b.re)};
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
}

// As `maximum`: NaN if either is NaN, and -0 is below +0.
template <class T>
T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}
template <class T>
T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

}  // namespace weft::kernels
