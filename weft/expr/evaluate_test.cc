// Every ExprOp's stated meaning, in the interpreter and in both builds of the block evaluator.
#include "weft/expr/evaluate.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "weft/expr/evaluate_block.h"
#include "weft/expr/interpret.h"

namespace weft {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool same_bits(DType dtype, uint64_t a, uint64_t b) {
  if (dtype == DType::kF32) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(a));
    const float y = std::bit_cast<float>(static_cast<uint32_t>(b));
    if (x != x && y != y) return true;
  }
  if (dtype == DType::kF64) {
    const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
    if (x != x && y != y) return true;
  }
  return a == b;
}

ScalarValue scalar_of(Expr constant) {
  ScalarValue value;
  if (constant.dtype() == DType::kF32) {
    value.re = std::bit_cast<float>(static_cast<uint32_t>(constant->constant));
  } else if (constant.dtype() == DType::kF64) {
    value.re = std::bit_cast<double>(constant->constant);
  } else {
    const int unused = 64 - static_cast<int>(8 * size_of(constant.dtype()));
    value.i = static_cast<int64_t>(constant->constant << unused);
    value.i = is_signed_integer(constant.dtype())
                  ? value.i >> unused
                  : static_cast<int64_t>(static_cast<uint64_t>(value.i) >> unused);
  }
  return value;
}

// Builds f of inputs with the dtypes of the constants, and evaluates it at them in every way.
template <class F>
void expect_value(F f, std::vector<Expr> arguments, Expr expected) {
  std::vector<Expr> inputs;
  std::vector<ScalarValue> scalars;
  const void* pointers[3] = {};
  uint64_t storage[3] = {};
  for (size_t i = 0; i < arguments.size(); ++i) {
    inputs.push_back(Expr::input(static_cast<uint32_t>(i), arguments[i].dtype()));
    scalars.push_back(scalar_of(arguments[i]));
    storage[i] = arguments[i]->constant;
    pointers[i] = &storage[i];
  }
  const Expr root = f(inputs);
  ASSERT_EQ(root.dtype(), expected.dtype());
  uint64_t out = 0;
  Evaluator(root).run({pointers[0], pointers[1], pointers[2]}, &out, 1);
  EXPECT_TRUE(same_bits(root.dtype(), out, expected->constant))
      << to_string(root) << " gave " << std::hex << out << " not " << expected->constant;

  InterpretInputs in;
  in.values = scalars;
  const ScalarValue got = interpret(root, in), want = scalar_of(expected);
  if (is_floating(root.dtype())) {
    EXPECT_TRUE((got.re != got.re && want.re != want.re) ||
                (got.re == want.re && std::signbit(got.re) == std::signbit(want.re)))
        << to_string(root);
  } else {
    EXPECT_EQ(got.i, want.i) << to_string(root);
  }
  // A single node: also by the build for any CPU.
  const void* direct[3] = {};
  for (int i = 0; i < root->arity; ++i) {
    if (root->args[i]->op != ExprOp::kInput) return;
    direct[i] = pointers[root->args[i]->index];
  }
  out = 0;
  expr_internal::portable::evaluate_block(*root.node(), direct, &out, 1);
  EXPECT_TRUE(same_bits(root.dtype(), out, expected->constant)) << to_string(root);
}

using Args = const std::vector<Expr>&;
Expr f32(double v) { return Expr::constant(DType::kF32, v); }
Expr f64(double v) { return Expr::constant(DType::kF64, v); }
Expr i8(double v) { return Expr::constant(DType::kI8, v); }
Expr u8(double v) { return Expr::constant(DType::kU8, v); }
Expr i32(double v) { return Expr::constant(DType::kI32, v); }
Expr u32(double v) { return Expr::constant(DType::kU32, v); }
Expr i64(double v) { return Expr::constant(DType::kI64, v); }
Expr truth(bool v) { return Expr::constant(DType::kBool, v ? 1 : 0); }

constexpr auto kAdd = [](Args a) { return a[0] + a[1]; };
constexpr auto kMul = [](Args a) { return a[0] * a[1]; };
constexpr auto kDiv = [](Args a) { return a[0] / a[1]; };
constexpr auto kRem = [](Args a) { return a[0] % a[1]; };
constexpr auto kMin = [](Args a) { return minimum(a[0], a[1]); };
constexpr auto kMax = [](Args a) { return maximum(a[0], a[1]); };

TEST(Meaning, IntegersWrap) {
  expect_value(kAdd, {i8(127), i8(1)}, i8(-128));
  expect_value(kMul, {u8(200), u8(2)}, u8(144));
  expect_value(kMul, {i32(65536), i32(65536)}, i32(0));
  expect_value([](Args a) { return -a[0]; }, {i8(-128)}, i8(-128));
  expect_value([](Args a) { return abs(a[0]); }, {i32(-2147483648.0)}, i32(-2147483648.0));
}

TEST(Meaning, IntegerDivisionNeverTraps) {
  expect_value(kDiv, {i32(7), i32(0)}, i32(0));
  expect_value(kRem, {i32(7), i32(0)}, i32(7));
  expect_value(kDiv, {i32(-2147483648.0), i32(-1)}, i32(-2147483648.0));
  expect_value(kRem, {i32(-2147483648.0), i32(-1)}, i32(0));
  expect_value(kDiv, {i8(-128), i8(-1)}, i8(-128));
  expect_value(kDiv, {i64(-0x1p63), i64(-1)}, i64(-0x1p63));
  expect_value(kDiv, {i32(-7), i32(2)}, i32(-3));
  expect_value(kRem, {i32(-7), i32(2)}, i32(-1));
  expect_value(kDiv, {u8(255), u8(0)}, u8(0));
}

TEST(Meaning, FloatsAreIeeeInTheirOwnType) {
  expect_value(kAdd, {f32(16777216), f32(1)}, f32(16777216));
  expect_value(kAdd, {f64(16777216), f64(1)}, f64(16777217));
  expect_value(kDiv, {f32(1), f32(0)}, f32(kInf));
  expect_value(kDiv, {f32(-1), f32(0)}, f32(-kInf));
  expect_value(kDiv, {f64(0), f64(0)}, f64(kNaN));
  expect_value([](Args a) { return fma(a[0], a[1], a[2]); },
               {f32(1 + 0x1p-12), f32(1 + 0x1p-12), f32(-1)}, f32(0x1p-11 + 0x1p-24));
  expect_value([](Args a) { return sqrt(a[0]); }, {f32(-0.0)}, f32(-0.0));
  expect_value([](Args a) { return sqrt(a[0]); }, {f64(-1)}, f64(kNaN));
  expect_value([](Args a) { return round(a[0]); }, {f32(2.5)}, f32(2));
  expect_value([](Args a) { return round(a[0]); }, {f32(-0.5)}, f32(-0.0));
  expect_value([](Args a) { return floor(a[0]); }, {f64(-0.5)}, f64(-1));
  expect_value([](Args a) { return ceil(a[0]); }, {f64(-0.5)}, f64(-0.0));
  expect_value([](Args a) { return trunc(a[0]); }, {f32(-1.75)}, f32(-1));
}

TEST(Meaning, MinimumAndMaximumKnowNaNAndSignedZero) {
  expect_value(kMin, {f32(0.0), f32(-0.0)}, f32(-0.0));
  expect_value(kMin, {f32(-0.0), f32(0.0)}, f32(-0.0));
  expect_value(kMax, {f64(0.0), f64(-0.0)}, f64(0.0));
  expect_value(kMax, {f64(-0.0), f64(0.0)}, f64(0.0));
  for (const auto& f :
       {+[](Args a) { return minimum(a[0], a[1]); }, +[](Args a) { return maximum(a[0], a[1]); }}) {
    expect_value(f, {f32(kNaN), f32(1)}, f32(kNaN));
    expect_value(f, {f32(1), f32(kNaN)}, f32(kNaN));
    expect_value(f, {f64(kNaN), f64(-kInf)}, f64(kNaN));
  }
  expect_value(kMin, {i8(-3), i8(2)}, i8(-3));
  expect_value(kMax, {u8(200), u8(2)}, u8(200));
  expect_value(kMax, {truth(false), truth(true)}, truth(true));
}

TEST(Meaning, ComparisonsAreFalseForNaN) {
  expect_value([](Args a) { return a[0] < a[1]; }, {f32(kNaN), f32(1)}, truth(false));
  expect_value([](Args a) { return a[0] >= a[1]; }, {f32(kNaN), f32(1)}, truth(false));
  expect_value([](Args a) { return a[0] == a[0]; }, {f32(kNaN)}, truth(false));
  expect_value([](Args a) { return a[0] != a[0]; }, {f64(kNaN)}, truth(true));
  expect_value([](Args a) { return a[0] == a[1]; }, {f32(0.0), f32(-0.0)}, truth(true));
  expect_value([](Args a) { return a[0] < a[1]; }, {u8(200), u8(100)}, truth(false));
  expect_value([](Args a) { return a[0] < a[1]; }, {truth(false), truth(true)}, truth(true));
  expect_value([](Args a) { return a[0] <= a[1]; }, {truth(true), truth(false)}, truth(false));
}

TEST(Meaning, ShiftsBeyondTheWidth) {
  const auto left = [](Args a) { return shift_left(a[0], a[1]); };
  const auto right = [](Args a) { return shift_right(a[0], a[1]); };
  expect_value(left, {i32(1), i32(31)}, i32(-2147483648.0));
  expect_value(left, {i32(1), i32(32)}, i32(0));
  expect_value(left, {u8(255), u8(8)}, u8(0));
  expect_value(right, {i32(-5), i32(1)}, i32(-3));
  expect_value(right, {i32(-5), i32(32)}, i32(-1));
  expect_value(right, {i32(5), i32(100)}, i32(0));
  expect_value(right, {i32(-5), i32(-1)}, i32(-1));  // a negative count is a huge one
  expect_value(right, {u32(0x80000000u), u32(31)}, u32(1));
  expect_value(right, {u32(0x80000000u), u32(32)}, u32(0));
  expect_value(right, {i8(-128), i8(7)}, i8(-1));
}

TEST(Meaning, Bits) {
  expect_value([](Args a) { return a[0] & a[1]; }, {u8(12), u8(10)}, u8(8));
  expect_value([](Args a) { return a[0] | a[1]; }, {u8(12), u8(10)}, u8(14));
  expect_value([](Args a) { return a[0] ^ a[1]; }, {truth(true), truth(true)}, truth(false));
  expect_value([](Args a) { return ~a[0]; }, {i32(0)}, i32(-1));
  expect_value([](Args a) { return ~a[0]; }, {truth(true)}, truth(false));
  expect_value([](Args a) { return mul_high(a[0], a[1]); }, {u32(0xffffffffu), u32(0xffffffffu)},
               u32(0xfffffffeu));
  expect_value([](Args a) { return bitcast(a[0], DType::kU32); }, {f32(1)}, u32(0x3f800000));
}

template <DType to>
Expr cast_to(Args a) {
  return cast(a[0], to);
}

TEST(Meaning, CastsSaturate) {
  expect_value(cast_to<DType::kI32>, {f32(3e9)}, i32(2147483647));
  expect_value(cast_to<DType::kI32>, {f32(-3e9)}, i32(-2147483648.0));
  expect_value(cast_to<DType::kI32>, {f64(kNaN)}, i32(0));
  expect_value(cast_to<DType::kU8>, {f32(300)}, u8(255));
  expect_value(cast_to<DType::kU8>, {f32(-1)}, u8(0));
  expect_value(cast_to<DType::kU8>, {f32(255.9)}, u8(255));
  expect_value(cast_to<DType::kI64>, {f64(kInf)},
               Expr::constant_bits(DType::kI64, 0x7fffffffffffffff));
  expect_value(cast_to<DType::kI8>, {i32(300)}, i8(44));
  expect_value(cast_to<DType::kBool>, {f32(kNaN)}, truth(true));
  expect_value(cast_to<DType::kBool>, {f32(-0.0)}, truth(false));
  expect_value(cast_to<DType::kF32>, {f64(1e300)}, f32(kInf));
  expect_value(cast_to<DType::kF32>, {i32(16777217)}, f32(16777216));
  expect_value(cast_to<DType::kF64>, {truth(true)}, f64(1));
}

// f64 to f16 through f32 would round twice: 1 + 2^-11 + 2^-40 is above the middle.
TEST(Meaning, CastsToHalfRoundOnce) {
  const auto through_half = [](Args a) { return cast(cast(a[0], DType::kF16), DType::kF32); };
  expect_value(through_half, {f64(1 + 0x1p-11 + 0x1p-40)}, f32(1 + 0x1p-10));
  expect_value(through_half, {f64(1 + 0x1p-11)}, f32(1));
  expect_value(through_half, {f64(-(1 + 0x1p-11 + 0x1p-40))}, f32(-1 - 0x1p-10));
  expect_value(through_half, {f64(65519.999999999)}, f32(65504));
  expect_value(through_half, {f64(1e300)}, f32(kInf));
  expect_value(through_half, {f64(kNaN)}, f32(kNaN));
  expect_value([](Args a) { return cast(cast(a[0], DType::kBF16), DType::kF32); },
               {i32(16777216 + 65536 + 1)}, f32(16777216 + 131072));
}

TEST(Meaning, SelectLdexpLookup) {
  const auto select = [](Args a) { return where(a[0], a[1], a[2]); };
  expect_value(select, {truth(true), f32(1), f32(2)}, f32(1));
  expect_value(select, {truth(false), i8(1), i8(2)}, i8(2));
  const auto scaled = [](Args a) { return ldexp(a[0], a[1]); };
  expect_value(scaled, {f32(1.5), i32(-149)}, f32(0x1p-148));  // one rounding, to even
  expect_value(scaled, {f32(1), i32(2147483647)}, f32(kInf));
  expect_value(scaled, {f64(0x1p-1074), i64(2000)}, f64(0x1p926));
  const auto table = [](Args a) {
    const double entries[] = {10, 20, 30};
    return lookup(entries, a[0], DType::kF32);
  };
  expect_value(table, {u32(1)}, f32(20));
  expect_value(table, {u32(5)}, f32(20));  // modulo the padded length
}

TEST(Evaluator, BlocksAgreeWithTheInterpreter) {
  const Expr a = Expr::input(0, DType::kF32), b = Expr::input(1, DType::kF32);
  const Expr root = where(a < b, fma(a, b, a), maximum(a * 0.3, b) - sqrt(abs(a))) / (b + 7.0);
  constexpr size_t n = 1000;  // not a multiple of the block
  std::vector<float> x(n), y(n), out(n);
  for (size_t i = 0; i < n; ++i) {
    x[i] = std::sin(static_cast<float>(i)) * 100;
    y[i] = std::cos(static_cast<float>(i * i)) * 10;
  }
  Evaluator(root).run({x.data(), y.data()}, out.data(), n);
  for (size_t i = 0; i < n; ++i) {
    const ScalarValue values[] = {{x[i], 0, 0}, {y[i], 0, 0}};
    InterpretInputs in;
    in.values = values;
    EXPECT_EQ(out[i], static_cast<float>(interpret(root, in).re)) << i;
  }
}

TEST(Interpreter, Rows) {
  const Expr a = Expr::input(0, DType::kF32);
  const Expr softmax = exp(a - row_max(a)) / row_sum(exp(a - row_max(a)));
  const ScalarValue row[] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  const std::span<const ScalarValue> rows[] = {row};
  InterpretInputs in;
  in.rows = rows;
  ScalarValue out[3];
  interpret_row(softmax, in, out);
  EXPECT_NEAR(static_cast<double>(out[2].re), 0.66524095, 1e-7);
  EXPECT_NEAR(static_cast<double>(out[0].re + out[1].re + out[2].re), 1, 1e-6);
  interpret_row(cast(Expr::position(), DType::kF32) * cast(Expr::row_length(), DType::kF32), in,
                out);
  EXPECT_EQ(out[2].re, 6);
}

}  // namespace
}  // namespace weft
