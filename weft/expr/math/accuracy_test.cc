// Every expansion against libm: densely over all exponents, and at the special values.
#include "weft/expr/math/accuracy.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <type_traits>

namespace weft::expr_math {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint32_t kStride = 20011;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr uint32_t kStride = 20011;
#else
constexpr uint32_t kStride = 2017;
#endif
#else
constexpr uint32_t kStride = 2017;
#endif

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{0,
                        Limits::denorm_min(),
                        Limits::min(),
                        Limits::max(),
                        Limits::infinity(),
                        Limits::epsilon(),
                        1,
                        2,
                        3,
                        10,
                        100,
                        T(0.5),
                        T(1.5),
                        T(2.5),
                        std::nextafter(Limits::min(), T(0)),
                        std::nextafter(T(1), T(0)),
                        std::nextafter(T(1), T(2)),
                        T(1e5),
                        T(88.72284),
                        T(-103.98),
                        T(709.78),
                        T(745.2),
                        T(16777216),
                        T(16777217),
                        T(9007199254740992.0)};
  const size_t n = values.size();
  for (size_t i = 0; i < n; ++i) values.push_back(-values[i]);
  values.push_back(Limits::quiet_NaN());
  return values;
}

class Expansion : public testing::TestWithParam<int> {
 public:
  Fn fn() const { return static_cast<Fn>(GetParam()); }
};

template <class T>
void expect_within(const Worst<T>& worst) {
  EXPECT_TRUE(worst.within) << worst.ulps << " ulp at " << worst.at << ", " << worst.exponent;
}

TEST_P(Expansion, Float32IsWithinItsBoundAtEveryExponent) {
  Accuracy<float> accuracy(fn());
  std::mt19937 random(7);
  std::uniform_real_distribution<float> exponents(-40, 40);
  std::vector<float> x(1 << 16), y(1 << 16);
  Worst<float> worst;
  uint32_t bits = 0;
  for (uint64_t done = 0; done < (uint64_t{1} << 32) / kStride; done += x.size()) {
    for (size_t i = 0; i < x.size(); ++i, bits += kStride) {
      x[i] = std::bit_cast<float>(bits);
      y[i] = fn() == Fn::kPow ? exponents(random) : 0;
    }
    accuracy.measure(x.data(), y.data(), x.size(), worst);
  }
  expect_within(worst);
}

TEST_P(Expansion, Float64IsWithinItsBound) {
  Accuracy<double> accuracy(fn());
  std::mt19937_64 random(11);
  std::vector<double> x(1 << 16), y(1 << 16);
  Worst<double> worst;
  for (int round = 0; round < (kStride > 10000 ? 1 : 3); ++round) {
    for (size_t i = 0; i < x.size(); ++i) {
      const uint64_t bits = random();
      // Every fourth of any exponent, the others from 2^-20 to 2^11.
      const uint64_t exponent = 1023 - 20 + random() % 32;
      x[i] =
          std::bit_cast<double>(i % 4 == 0 ? bits : (bits & 0x800fffffffffffffu) | exponent << 52);
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      // For pow: any size the result can have.
      y[i] = fn() == Fn::kPow ? (unit - 0.5) * 2200 / std::log2(std::fabs(x[i])) : 0;
    }
    accuracy.measure(x.data(), y.data(), x.size(), worst);
  }
  expect_within(worst);
}

template <class T>
void check_special_values(Fn fn) {
  Accuracy<T> accuracy(fn);
  const std::vector<T> values = special_values<T>();
  for (const T x : values) {
    for (const T y : values) {
      Worst<T> worst;
      accuracy.measure(&x, &y, 1, worst);
      EXPECT_TRUE(worst.within) << worst.ulps << " ulp at " << x << ", " << y;
      if (fn != Fn::kPow) break;
    }
  }
}

TEST_P(Expansion, SpecialValuesAreRight) {
  check_special_values<float>(fn());
  check_special_values<double>(fn());
}

INSTANTIATE_TEST_SUITE_P(All, Expansion, testing::Range(0, kNumFns), [](const auto& info) {
  return std::string(name_of(static_cast<Fn>(info.param)));
});

TEST(Expansion, ExactWhereTheResultIs) {
  const double x[] = {-3, 0, 1, 5, 127}, powers[] = {0.125, 1, 2, 32, 0x1p127};
  double y[5];
  Evaluator(Accuracy<double>::expanded(Fn::kExp2)).run({x}, y, 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(y[i], powers[i]);
  Evaluator(Accuracy<double>::expanded(Fn::kLog2)).run({powers}, y, 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(y[i], x[i]);
}

// The double nearest to a multiple of pi/2 (Kahan's example).
TEST(Expansion, ReductionSurvivesTheWorstArgument) {
  const double x[] = {std::ldexp(6381956970095103.0, 797)}, none[] = {0};
  Worst<double> worst;
  for (const Fn fn : {Fn::kSin, Fn::kCos, Fn::kTan}) {
    Accuracy<double>(fn).measure(x, none, 1, worst);
  }
  expect_within(worst);
}

// Values of 50 digits, rounded, where libm's sum of terms has few.
TEST(Expansion, DigammaKeepsItsDigitsAroundItsRoot) {
  const double x[] = {0x1.762d86356be3fp+0, 0x1.762d86356be40p+0, 0x1.762d86356be3ep+0,
                      0x1.762d86356cfd7p+0, 0x1.762d860a78c63p+0, 0x1.762cde6fbf9cdp+0,
                      0x1.766f0f6cb7aa9p+0, 0x1.75ebfcfe201d5p+0};
  const double exact[] = {-0x1.aa2d9b3ce29e0p-54, 0x1.1a5beef0723bbp-53,  -0x1.6244c516aa6cfp-52,
                          0x1.105fac75221dfp-40,  -0x1.4c7d59fed53cdp-27, -0x1.44b2cb149a247p-17,
                          0x1.fb1b60d44a41ep-11,  -0x1.fb923b4b37da8p-11};
  double y[8];
  Evaluator(Accuracy<double>::expanded(Fn::kDigamma)).run({x}, y, 8);
  for (int i = 0; i < 8; ++i)
    EXPECT_LE(ulps(y[i], static_cast<long double>(exact[i])), 2.0) << x[i];
}

}  // namespace
}  // namespace weft::expr_math
