// What each ExprOp does to one element, in plain C++: shared by folding, interpreter and evaluator.
//
// Everything has internal linkage on purpose: the block evaluator is compiled for two CPUs, and the
// linker must not exchange their instances.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "weft/core/half.h"

namespace weft::expr_internal {
namespace {
namespace scalar {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

// Integers compute in u64 and are cut to their width, which wraps without undefined behaviour.
template <class T>
uint64_t wide(T a) {
  return static_cast<uint64_t>(a);
}

template <class T>
T add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(wide(a) + wide(b));
}
template <class T>
T sub(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a - b;
  else
    return static_cast<T>(wide(a) - wide(b));
}
template <class T>
T mul(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return static_cast<T>(wide(a) * wide(b));
}
template <class T>
T div(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(0 - wide(a));  // min / -1 = min
    }
    return static_cast<T>(a / b);
  }
}
template <class T>
T rem(T a, T b) {
  return static_cast<T>(wide(a) - wide(div(a, b)) * wide(b));
}
template <class T>
T fma(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fma(a, b, c);
  else
    return static_cast<T>(wide(a) * wide(b) + wide(c));
}
template <class T>
T neg(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return -a;
  else
    return static_cast<T>(0 - wide(a));
}
template <class T>
T abs(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(a);
  else
    return a < T{0} ? neg(a) : a;
}
// NaN if either is NaN; -0 < +0.
template <class T>
T min(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}
template <class T>
T max(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

template <class T>
T shl(T a, T n) {
  const uint64_t count = static_cast<Unsigned<T>>(n);
  return count < 8 * sizeof(T) ? static_cast<T>(wide(a) << count) : T{0};
}
template <class T>
T lshr(T a, T n) {
  const uint64_t count = static_cast<Unsigned<T>>(n);
  return count < 8 * sizeof(T) ? static_cast<T>(wide(static_cast<Unsigned<T>>(a)) >> count) : T{0};
}
template <class T>
T ashr(T a, T n) {
  const uint64_t count = static_cast<Unsigned<T>>(n);
  const auto value = static_cast<int64_t>(static_cast<std::make_signed_t<T>>(a));
  return static_cast<T>(value >> (count < 8 * sizeof(T) ? count : 63));
}

inline uint32_t mul_high(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((static_cast<uint64_t>(a) * b) >> 32);
}

template <class T, class N>
T ldexp(T a, N n) {
  constexpr N limit = 5000;  // beyond any exponent: the result is 0 or infinite either way
  return std::ldexp(a, static_cast<int>(n < -limit ? -limit : n > limit ? limit : n));
}

// Float to integer saturates, NaN gives 0; to bool is != 0. f16 and bf16 only meet f32.
template <class To, class From>
To convert(From a) {
  if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>) {
    return static_cast<To>(a.to_float());
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To::from_float(static_cast<float>(a));
  } else if constexpr (std::is_same_v<To, bool>) {
    return a != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Limits = std::numeric_limits<To>;
    // 2^digits is exact in every float type, unlike the largest integer.
    const From bound = std::ldexp(From{1}, Limits::digits);
    if (a != a) return 0;
    if (a >= bound) return Limits::max();
    if (a <= (Limits::is_signed ? -bound : From{0})) return Limits::min();
    return static_cast<To>(a);
  } else {
    return static_cast<To>(a);
  }
}

}  // namespace scalar
}  // namespace
}  // namespace weft::expr_internal
