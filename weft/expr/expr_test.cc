// Tests of building expressions: identity, weak constants, folding, dtype checks, printing.
#include "weft/expr/expr.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "weft/base/error.h"

namespace weft {
namespace {

Expr f32(uint32_t i) { return Expr::input(i, DType::kF32); }

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was raised";
}

TEST(Expr, EqualExpressionsAreOneNode) {
  const auto formula = [](Expr a, Expr b) { return maximum(a, b) + log1p(exp(-abs(a - b))); };
  EXPECT_TRUE(formula(f32(0), f32(1)).identical(formula(f32(0), f32(1))));
  EXPECT_FALSE(formula(f32(0), f32(1)).identical(formula(f32(1), f32(0))));
  EXPECT_FALSE(f32(0).identical(Expr::input(0, DType::kF64)));
  EXPECT_FALSE(Expr::constant(DType::kF32, 0.0).identical(Expr::constant(DType::kF32, -0.0)));
}

TEST(Expr, ThreadsInternTheSameNodes) {
  std::vector<const ExprNode*> roots(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < roots.size(); ++t) {
    threads.emplace_back([&roots, t] {
      Expr sum = f32(0);
      for (int i = 0; i < 500; ++i) sum = sum * f32(1) + Expr(1000.5 + i);
      roots[t] = sum.node();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const ExprNode* root : roots) EXPECT_EQ(root, roots[0]);
}

TEST(Expr, ArgumentsAreOlderThanTheirUsers) {
  const Expr e = exp(f32(7) * 3.25) + 1.5;
  EXPECT_LT(e.arg(0)->id, e->id);
  EXPECT_LT(e.arg(1)->id, e->id);
}

TEST(Expr, WeakConstantsTakeTheDTypeTheyMeet) {
  EXPECT_EQ((f32(0) + 1).dtype(), DType::kF32);
  EXPECT_EQ((Expr(2) * Expr::input(0, DType::kI8)).dtype(), DType::kI8);
  EXPECT_EQ((Expr::input(0, DType::kC64) * 2.0).dtype(), DType::kC64);
  // Also a choice of two, and arithmetic on them.
  const Expr choice = where(f32(0) < 0, -1.0, Expr(0.5) + 0.5);
  EXPECT_TRUE(choice->weak);
  EXPECT_EQ((choice * f32(0)).dtype(), DType::kF32);
  EXPECT_EQ(fma(1.0, 2.0, f32(0)).dtype(), DType::kF32);
  EXPECT_TRUE(sqrt(Expr(2.0))->weak);
  EXPECT_TRUE(exp(Expr(1.0))->weak);
  EXPECT_EQ(cast(Expr(3.0), DType::kU8)->constant, 3u);
}

TEST(Expr, MistakesRaise) {
  EXPECT_EQ(message_of([] { return f32(0) + Expr::input(1, DType::kF64); }),
            "add: arguments have dtypes float32 and float64; they must be equal, so cast one "
            "[add.dtype]");
  EXPECT_EQ(message_of([] { return Expr::input(0, DType::kI32) * 0.5; }),
            "constant: the constant 0.5 is not a value of int32; write one that is, or cast the "
            "other argument [constant.range]");
  EXPECT_EQ(message_of([] { return Expr::input(0, DType::kU8) - 256; }),
            "constant: the constant 256.0 is not a value of uint8; write one that is, or cast the "
            "other argument [constant.range]");
  EXPECT_EQ(message_of([] { return exp(Expr::input(0, DType::kI32)); }),
            "exp: an argument has dtype int32; this is computed in float32 or float64, so cast it "
            "[exp.floating]");
  EXPECT_EQ(message_of([] { return Expr::input(0, DType::kF16) + 1; }),
            "add: an argument has dtype float16; arithmetic needs an integer, float32 or float64, "
            "so cast it [add.number]");
  EXPECT_EQ(message_of([] { return where(f32(0), f32(1), f32(2)); }),
            "where: the condition has dtype float32; it must be bool, so compare or cast "
            "[where.condition]");
  EXPECT_EQ(message_of([] { return bitcast(f32(0), DType::kU64); }),
            "bitcast: from float32 to uint64; both must be numbers of one size, neither complex "
            "nor bool [bitcast.size]");
  EXPECT_EQ(message_of([] { return cast(Expr::input(0, DType::kC64), DType::kF32); }),
            "cast: a complex64 cannot become float32; take real(), imag() or abs() of it "
            "[cast.complex]");
  EXPECT_EQ(message_of([] { return f32(0) % 2; }),
            "remainder: an argument has dtype float32; % is for integers, write x - y * floor(x / "
            "y) [remainder.integer]");
}

TEST(Expr, FoldsOnlyWhatHasTheSameBits) {
  const Expr x = f32(0);
  EXPECT_TRUE((x * 1.0).identical(x));
  EXPECT_TRUE((x - 0.0).identical(x));
  EXPECT_TRUE((x + -0.0).identical(x));
  EXPECT_FALSE((x + 0.0).identical(x)) << "-0 + 0 is +0";
  EXPECT_FALSE((x * 0.0).is_constant()) << "inf * 0 is NaN";
  EXPECT_FALSE((x - x).is_constant());
  EXPECT_FALSE((x == x).is_constant()) << "NaN";
  EXPECT_TRUE((-(-x)).identical(x));
  EXPECT_TRUE(where(x < 0, x, x).identical(x));
  EXPECT_TRUE(bitcast(bitcast(x, DType::kU32), DType::kF32).identical(x));
  // Rounded in the node's dtype.
  const auto c = [](double v) { return Expr::constant(DType::kF32, v); };
  EXPECT_EQ((c(1.0) / c(3.0))->constant, std::bit_cast<uint32_t>(1.0f / 3.0f));
  EXPECT_EQ(fma(c(0.1), c(0.1), c(-0.01))->constant,
            std::bit_cast<uint32_t>(std::fma(0.1f, 0.1f, -0.01f)));
  EXPECT_EQ((c(-0.0) + c(-0.0))->constant, 0x80000000u);
  const Expr i = Expr::constant(DType::kI32, -2147483648.0);
  EXPECT_EQ((i / -1)->constant, 0x80000000u);
  EXPECT_EQ((i / 0)->constant, 0u);
  // A NaN's sign is the hardware's business.
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_FALSE((c(inf) - c(inf)).is_constant());
}

TEST(Expr, Prints) {
  const Expr a = f32(0), b = f32(1);
  EXPECT_EQ(to_string(maximum(a, b) + log1p(exp(-abs(a - b)))),
            "maximum(a0, a1) + log1p(exp(-abs(a0 - a1)))");
  EXPECT_EQ(to_string((a + b) * 2.5 - (a - (b - 1))), "(a0 + a1) * 2.5 - (a0 - (a1 - 1.0))");
  EXPECT_EQ(to_string(a * 0.1 + 1e20), "a0 * 0.1 + 1e+20");
  EXPECT_EQ(to_string(Expr::input(2, DType::kI8) - -3), "a2 - -3");
  EXPECT_EQ(to_string(where((a < b) & (b <= 3), a, cast(Expr::position(), DType::kF32))),
            "where(a0 < a1 & a1 <= 3.0, a0, f32(position))");
}

TEST(Expr, InputsRead) {
  EXPECT_EQ(inputs_read(f32(0) + f32(3) * 2), 0b1001u);
  EXPECT_EQ(inputs_read(abs(Expr::input(2, DType::kC128))), 0b100u);
  EXPECT_EQ(inputs_read(Expr(1.0)), 0u);
}

TEST(Expr, TablesAreSharedAndPadded) {
  const double entries[] = {1.0, 2.0, 4.0};
  const Expr index = bitcast(f32(0), DType::kU32);
  const Expr a = lookup(entries, index, DType::kF32), b = lookup(entries, index, DType::kF32);
  EXPECT_TRUE(a.identical(b));
  const auto table = table_of(a->table);
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(table[2], std::bit_cast<uint32_t>(4.0f));
  EXPECT_EQ(table[3], 0u);
}

}  // namespace
}  // namespace weft
