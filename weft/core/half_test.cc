// Half and BFloat16: all patterns, and rounding against exact arithmetic in double.
#include "weft/core/half.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>

namespace weft {
namespace {

// A 16-bit format: what its bits mean, by the book.
template <class T>
struct Format;
template <>
struct Format<Half> {
  static constexpr int mantissa = 10, bias = 15;
  static constexpr uint16_t nan = 0x7e00;
};
template <>
struct Format<BFloat16> {
  static constexpr int mantissa = 7, bias = 127;
  static constexpr uint16_t nan = 0x7fc0;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
double meaning(uint16_t bits) {
  using F = Format<T>;
  const int fraction = bits & ((1 << F::mantissa) - 1);
  const int exponent = (bits & 0x7fff) >> F::mantissa;
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == 2 * F::bias + 1) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * kInfinity;
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - F::bias - F::mantissa);
  return sign * std::ldexp(fraction + (1 << F::mantissa), exponent - F::bias - F::mantissa);
}

// `value` rounded to the format, ties to even: exact, since a double holds every step.
template <class T>
double rounded(float value) {
  using F = Format<T>;
  if (std::isnan(value) || std::isinf(value) || value == 0) return value;
  const int exponent = std::max(std::ilogb(double{value}), 1 - F::bias);
  const double step = std::ldexp(1.0, exponent - F::mantissa);
  const double out = std::nearbyint(double{value} / step) * step;
  const double most = std::ldexp(2.0 - std::ldexp(1.0, -F::mantissa), F::bias);
  return std::abs(out) > most ? std::copysign(kInfinity, value) : out;
}

bool is_same(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

template <class T>
class HalfTest : public testing::Test {
 protected:
  void check(float value) {
    const T got = T::from_float(value);
    if (is_same(meaning<T>(got.bits), rounded<T>(value))) return;
    if (++wrong_ < 10) {
      ADD_FAILURE() << std::hexfloat << value << " became " << meaning<T>(got.bits) << ", not "
                    << rounded<T>(value);
    }
  }

 private:
  int wrong_ = 0;
};
using Formats = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(HalfTest, Formats);

TYPED_TEST(HalfTest, every_pattern_means_what_it_says_and_comes_back) {
  for (int bits = 0; bits < 65536; ++bits) {
    const TypeParam value{static_cast<uint16_t>(bits)};
    const double expected = meaning<TypeParam>(value.bits);
    ASSERT_TRUE(is_same(value.to_float(), expected)) << bits;
    const uint16_t back = TypeParam::from_float(value.to_float()).bits;
    ASSERT_EQ(back, std::isnan(expected) ? Format<TypeParam>::nan : bits);
  }
}

TYPED_TEST(HalfTest, ties_and_their_neighbours) {
  for (int bits = 0; bits < 0x7fff; ++bits) {
    const double low = meaning<TypeParam>(static_cast<uint16_t>(bits));
    const double high = meaning<TypeParam>(static_cast<uint16_t>(bits + 1));
    // Beyond the largest number the tie is where the next one would be.
    const double next = std::isinf(high) ? 2 * low - meaning<TypeParam>(bits - 1) : high;
    if (std::isnan(low) || std::isinf(low)) break;
    const auto tie = static_cast<float>((low + next) / 2);
    for (const float value : {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, INFINITY)}) {
      this->check(value);
      this->check(-value);
    }
  }
}

TYPED_TEST(HalfTest, random_patterns_and_extremes) {
  std::mt19937 random(5);
  for (int i = 0; i < 2'000'000; ++i)
    this->check(std::bit_cast<float>(static_cast<uint32_t>(random())));
  for (const float value :
       {0.0f, -0.0f, INFINITY, -INFINITY, NAN, FLT_MAX, FLT_MIN, 0x1p-149f, 0x1p-25f, 65504.0f,
        65519.996f, 65520.0f, 0x1.8p-25f, 0x1.fep127f, 0x1.ffp127f, 0x1.fefffep127f}) {
    this->check(value);
    this->check(-value);
  }
}

TEST(Half, known_values) {
  EXPECT_EQ(Half::from_float(1.0f).bits, 0x3c00);
  EXPECT_EQ(Half::from_float(65504.0f).bits, 0x7bff);
  EXPECT_EQ(Half::from_float(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half::from_float(0x1p-24f).bits, 0x0001);
  EXPECT_EQ(BFloat16::from_float(1.0f).bits, 0x3f80);
  EXPECT_EQ(BFloat16::from_float(FLT_MAX).bits, 0x7f80);
}

}  // namespace
}  // namespace weft
