// Complex arithmetic and functions against std::complex<long double>.
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "weft/expr/expr.h"
#include "weft/expr/interpret.h"

namespace weft {
namespace {

using Complex = std::complex<long double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Complex at(Expr root, std::initializer_list<Complex> arguments) {
  std::vector<ScalarValue> values;
  for (const Complex& z : arguments) values.push_back({z.real(), z.imag(), 0});
  InterpretInputs in;
  in.values = values;
  const ScalarValue out = interpret(root, in);
  return {out.re, out.im};
}

// Relative error of the whole number, in units of the dtype's epsilon.
double error_of(Complex got, Complex exact, double epsilon) {
  if (exact == Complex(0)) return got == exact ? 0 : kInf;
  return static_cast<double>(std::abs(got - exact) / std::abs(exact)) / epsilon;
}

struct Function {
  const char* name;
  Expr (*ours)(Expr);
  Complex (*exact)(const Complex&);
};

const Function kFunctions[] = {
    {"exp", exp, std::exp},
    {"log", log, std::log},
    {"sqrt", sqrt, std::sqrt},
    {"sin", sin, std::sin},
    {"cos", cos, std::cos},
    {"tan", tan, std::tan},
    {"sinh", sinh, std::sinh},
    {"cosh", cosh, std::cosh},
    {"tanh", tanh, std::tanh},
    {"asin", asin, std::asin},
    {"acos", acos, std::acos},
    {"atan", atan, std::atan},
    {"asinh", asinh, std::asinh},
    {"acosh", acosh, std::acosh},
    {"atanh", atanh, std::atanh},
    {"log10", log10, std::log10},
    {"sigmoid", sigmoid, [](const Complex& z) { return 1.0L / (1.0L + std::exp(-z)); }},
    {"log1p", log1p, [](const Complex& z) { return std::log(1.0L + z); }},
    {"square", square, [](const Complex& z) { return z * z; }},
    {"expm1", expm1, [](const Complex& z) { return std::exp(z) - 1.0L; }},
};

template <class T>
void check_function(const Function& f, DType dtype) {
  const Expr root = f.ours(Expr::input(0, dtype));
  EXPECT_EQ(root->op, ExprOp::kComplex);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(-4, 4);
  double worst = 0;
  for (int i = 0; i < 2000; ++i) {
    const Complex z(static_cast<T>(part(random)), static_cast<T>(part(random)));
    worst = std::max(worst, error_of(at(root, {z}), f.exact(z), std::numeric_limits<T>::epsilon()));
  }
  // sigmoid has a pole at i pi, near which 1 + e^-z cancels.
  EXPECT_LT(worst, std::string_view(f.name) == "sigmoid" ? 40 : 8)
      << f.name << " of " << name_of(dtype);
}

TEST(ComplexExpr, FunctionsAreNearTheExactOnes) {
  for (const Function& f : kFunctions) {
    check_function<float>(f, DType::kC64);
    check_function<double>(f, DType::kC128);
  }
}

TEST(ComplexExpr, ArithmeticOfAnyMagnitude) {
  const Expr a = Expr::input(0, DType::kC64), b = Expr::input(1, DType::kC64);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> part(-1, 1);
  for (int i = 0; i < 3000; ++i) {
    const auto number = [&](int range) {
      const double scale =
          std::ldexp(1.0, static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range);
      return Complex(static_cast<float>(part(random) * scale),
                     static_cast<float>(part(random) * scale));
    };
    const Complex x = number(60), y = number(60), wide = number(120);
    constexpr double epsilon = std::numeric_limits<float>::epsilon();
    EXPECT_LT(error_of(at(a * b, {x, y}), x * y, epsilon), 4) << x << y;
    EXPECT_LT(error_of(at(a / b, {x, y}), x / y, epsilon), 6) << x << y;
    EXPECT_LT(error_of(at(a / b, {wide, wide * 0.5L}), Complex(2), epsilon), 6) << wide;
    EXPECT_LT(error_of(at(sqrt(a), {wide}), std::sqrt(wide), epsilon), 6) << wide;
    EXPECT_LT(error_of(at(log(a), {wide}), std::log(wide), epsilon), 6) << wide;
    EXPECT_LT(error_of(at(abs(a), {wide}), std::abs(wide), epsilon), 2) << wide;
  }
}

TEST(ComplexExpr, PowersAndPolarForm) {
  const Expr a = Expr::input(0, DType::kC128), b = Expr::input(1, DType::kC128);
  const Complex x(1.25L, -0.5L), y(0.5L, 2.0L);
  EXPECT_LT(error_of(at(pow(a, b), {x, y}), std::pow(x, y), 2.3e-16), 16);
  EXPECT_EQ(at(pow(a, b), {0, 2}), Complex(0));
  EXPECT_EQ(at(pow(a, b), {0, 0}), Complex(1));
  const Expr re = Expr::input(0, DType::kF64), im = Expr::input(1, DType::kF64);
  for (const double u : {0.0, -0.0, 1.0, -1.0, kInf, -kInf, 2.5, -1e-300, 1e300}) {
    for (const double v : {0.0, -0.0, 1.0, -1.0, kInf, -kInf, -0.7, 1e-300}) {
      const long double got = at(atan2(re, im), {u, v}).real();
      EXPECT_NEAR(static_cast<double>(got), std::atan2(u, v), 5e-16) << u << " " << v;
      EXPECT_EQ(std::signbit(got), std::signbit(std::atan2(u, v))) << u << " " << v;
    }
  }
}

TEST(ComplexExpr, InfinitiesAsInAnnexG) {
  const Expr a = Expr::input(0, DType::kC64), b = Expr::input(1, DType::kC64);
  EXPECT_EQ(at(abs(a), {{kInf, kNaN}}).real(), kInf);
  EXPECT_EQ(at(abs(a), {{kNaN, -kInf}}).real(), kInf);
  EXPECT_EQ(at(abs(a), {{3e38, 3e38}}).real(), kInf);
  EXPECT_TRUE(std::isinf(at(a / b, {{1, 1}, {0, 0}}).real()));
  EXPECT_EQ(at(a / b, {{1, 2}, {kInf, 0}}), Complex(0));
  EXPECT_TRUE(std::isinf(at(a / b, {{kInf, 1}, {1, 1}}).real()));
  EXPECT_EQ(at(exp(a), {{-kInf, kInf}}), Complex(0));
  EXPECT_EQ(at(exp(a), {{kInf, 0}}), Complex(kInf, 0));
  EXPECT_EQ(at(exp(a), {{0, 0}}), Complex(1, 0));
  EXPECT_TRUE(std::isfinite(at(exp(a), {{89, 1.57}}).real())) << "e^89 alone overflows";
  EXPECT_EQ(at(sqrt(a), {{1, kInf}}), Complex(kInf, kInf));
  EXPECT_EQ(at(sqrt(a), {{-kInf, 1}}), Complex(0, kInf));
  EXPECT_EQ(at(sqrt(a), {{-4, 0}}), Complex(0, 2));
  EXPECT_EQ(at(sqrt(a), {{-4, -0.0}}), Complex(0, -2));
  EXPECT_EQ(at(log(a), {{0, 0}}).real(), -kInf);
  EXPECT_EQ(at(log(a), {{-kInf, kNaN}}).real(), kInf);
  EXPECT_EQ(at(tanh(a), {{kInf, 1}}), Complex(1, 0));
  // The special cases of the array API standard.
  const auto is_nan = [](long double part) { return std::isnan(part); };
  for (const double bad : {static_cast<double>(kInf), std::nan("")}) {
    const Complex far = at(tanh(a), {{20, bad}}), axis = at(tanh(a), {{0, bad}});
    EXPECT_TRUE(is_nan(far.real()) && is_nan(far.imag()));
    EXPECT_TRUE(axis.real() == 0 && is_nan(axis.imag()));
    EXPECT_EQ(at(expm1(a), {{-kInf, bad}}), Complex(-1, 0));
    const Complex wild = at(expm1(a), {{kInf, bad}});
    EXPECT_TRUE(std::isinf(wild.real()) && is_nan(wild.imag()));
  }
  const Complex from_nan = at(tanh(a), {{std::nan(""), 0}});
  EXPECT_TRUE(is_nan(from_nan.real()) && from_nan.imag() == 0);
  EXPECT_FALSE(std::signbit(at(expm1(a), {{-0.0, 0}}).real()));
}

TEST(ComplexExpr, LogKeepsDigitsNearTheUnitCircle) {
  const Expr a = Expr::input(0, DType::kC128);
  const Complex z(0.6L + 1e-9L, 0.8L);
  const Complex rounded(static_cast<double>(z.real()), static_cast<double>(z.imag()));
  EXPECT_LT(error_of(at(log(a), {rounded}), std::log(rounded), 2.3e-16), 4);
  const long double exact = std::log1p(std::norm(rounded) - 1.0L) / 2;
  EXPECT_NEAR(static_cast<double>(at(log(a), {rounded}).real() / exact), 1.0, 1e-6);
}

}  // namespace
}  // namespace weft
