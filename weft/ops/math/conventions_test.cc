// What the documentation of the ops promises about NaN, ties, kinks, signed zeros and the edges of
// integers: values written down by hand, where the samples compare with the meaning itself.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "weft/op/apply.h"
#include "weft/ops/math/math.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Tensors scalars(DType dtype, std::initializer_list<double> values) {
  Tensors out;
  for (double value : values) out.push_back(Tensor::scalar(dtype, value));
  return out;
}

double value(const OpDef& op, std::initializer_list<double> at, DType dtype = DType::kF64) {
  return apply_one(op, scalars(dtype, at), &kNoAttrs, Where{}).item();
}
int64_t integer(const OpDef& op, std::initializer_list<double> at, DType dtype) {
  return apply_one(op, scalars(dtype, at), &kNoAttrs, Where{}).item_int();
}

// d out / d input, by the backward rule; the forward rule must agree.
double slope(const OpDef& op, std::initializer_list<double> at, size_t input = 0) {
  const Tensors in = scalars(DType::kF64, at);
  const Tensors out{apply_one(op, in, &kNoAttrs, Where{})};
  bool wanted[3] = {};
  wanted[input] = true;
  const GradCtx cx{in, out, {wanted, in.size()}, Where{}};
  const Tensor one = Tensor::scalar(DType::kF64, 1);
  const double back = call_vjp(op, &kNoAttrs, cx, {&one, 1})[input].item();
  Tensors tangents(in.size());
  tangents[input] = one;
  const double ahead = call_jvp(op, &kNoAttrs, cx, tangents)[0].item();
  EXPECT_TRUE(back == ahead || (std::isnan(back) && std::isnan(ahead)))
      << op.name << ": backward gives " << back << ", forward " << ahead;
  return back;
}

void expect_negative_zero(double got) {
  EXPECT_EQ(got, 0);
  EXPECT_TRUE(std::signbit(got));
}

TEST(Conventions, NaNGoesThroughMaximumMinimumAndClip) {
  for (const OpDef* op : {&kMaximum, &kMinimum}) {
    EXPECT_TRUE(std::isnan(value(*op, {kNaN, 1})));
    EXPECT_TRUE(std::isnan(value(*op, {1, kNaN})));
  }
  EXPECT_TRUE(std::isnan(value(kClip, {kNaN, 0, 1})));
  EXPECT_TRUE(std::isnan(value(kClip, {0.5, kNaN, 1})));
  EXPECT_TRUE(std::isnan(value(kClip, {0.5, 0, kNaN})));
  EXPECT_TRUE(std::isnan(value(kRelu, {kNaN})));
  EXPECT_TRUE(std::isnan(value(kSign, {kNaN})));
}

TEST(Conventions, ZerosHaveSigns) {
  EXPECT_FALSE(std::signbit(value(kMaximum, {-0.0, 0.0})));
  expect_negative_zero(value(kMinimum, {0.0, -0.0}));
  expect_negative_zero(value(kSqrt, {-0.0}));
  EXPECT_FALSE(std::signbit(value(kSign, {-0.0})));  // as the array API has it
  expect_negative_zero(value(kCeil, {-0.5}));
  expect_negative_zero(value(kRound, {-0.5}));
  expect_negative_zero(value(kTrunc, {-0.5}));
  expect_negative_zero(value(kAtan2, {-0.0, 1}));
  EXPECT_EQ(value(kAtan2, {-0.0, -1}), -std::acos(-1.0));
  EXPECT_EQ(value(kAtan2, {0.0, -0.0}), std::acos(-1.0));
  EXPECT_EQ(value(kReciprocal, {-0.0}), -kInf);
}

TEST(Conventions, RoundingTakesTheEvenOneOfTwo) {
  EXPECT_EQ(value(kRound, {0.5}), 0);
  EXPECT_EQ(value(kRound, {1.5}), 2);
  EXPECT_EQ(value(kRound, {2.5}), 2);
  EXPECT_EQ(value(kRound, {-1.5}), -2);
}

TEST(Conventions, PowersOfIeee754) {
  EXPECT_EQ(value(kPow, {kNaN, 0}), 1);
  EXPECT_EQ(value(kPow, {1, kNaN}), 1);
  EXPECT_EQ(value(kPow, {-1, kInf}), 1);
  EXPECT_TRUE(std::isnan(value(kPow, {-2, 0.5})));
  EXPECT_EQ(value(kPow, {-2, 3}), -8);
  EXPECT_EQ(value(kPow, {-0.0, -1}), -kInf);
  EXPECT_EQ(value(kPow, {0, -2}), kInf);
}

TEST(Conventions, FloorDivisionAndItsRestFollowPython) {
  EXPECT_EQ(value(kFloorDivide, {1, 0.1}), 9);  // 0.1 is a little more than a tenth
  EXPECT_EQ(value(kFloorDivide, {-1, kInf}), -1);
  EXPECT_EQ(value(kFloorDivide, {kInf, 2}), kInf);
  EXPECT_EQ(value(kFloorDivide, {-7, 2}), -4);
  EXPECT_EQ(value(kRemainder, {-7, 2}), 1);
  EXPECT_EQ(value(kRemainder, {7, -2}), -1);
  EXPECT_EQ(value(kRemainder, {1e20, 3}), 1);  // 10^20 is a float64, and 10 is 1 modulo 3
  EXPECT_EQ(value(kRemainder, {-1, kInf}), kInf);
  EXPECT_TRUE(std::isnan(value(kRemainder, {1, 0})));
  expect_negative_zero(value(kRemainder, {4, -2}));
}

TEST(Conventions, IntegersHaveAnAnswerForEverything) {
  constexpr double kMin = -2147483648.0;
  EXPECT_EQ(integer(kFloorDivide, {7, 0}, DType::kI32), 0);
  EXPECT_EQ(integer(kFloorDivide, {-7, 0}, DType::kI32), 0);
  EXPECT_EQ(integer(kFloorDivide, {kMin, -1}, DType::kI32), INT32_MIN);
  EXPECT_EQ(integer(kRemainder, {-7, 0}, DType::kI32), -7);
  EXPECT_EQ(integer(kRemainder, {-7, 3}, DType::kI32), 2);
  EXPECT_EQ(integer(kAbs, {kMin}, DType::kI32), INT32_MIN);
  EXPECT_EQ(integer(kNegative, {kMin}, DType::kI32), INT32_MIN);
  EXPECT_EQ(integer(kNegative, {1}, DType::kU8), 255);
  EXPECT_EQ(integer(kSign, {200}, DType::kU8), 1);
  EXPECT_EQ(integer(kPow, {3, 39}, DType::kI64), 4052555153018976267);
  EXPECT_EQ(integer(kPow, {3, 6}, DType::kI8), -39);  // 729, wrapped
  EXPECT_EQ(integer(kPow, {2, -1}, DType::kI32), 0);
  EXPECT_EQ(integer(kPow, {-1, -3}, DType::kI32), -1);
  EXPECT_EQ(integer(kPow, {0, -1}, DType::kI32), 0);
  EXPECT_EQ(integer(kBitwiseLeftShift, {1, 32}, DType::kI32), 0);
  EXPECT_EQ(integer(kBitwiseLeftShift, {1, -1}, DType::kI32), 0);
  EXPECT_EQ(integer(kBitwiseRightShift, {-8, 99}, DType::kI32), -1);
  EXPECT_EQ(integer(kBitwiseRightShift, {8, -1}, DType::kI32), 0);
}

TEST(Conventions, DtypesAtTheDoor) {
  const Tensors ints = scalars(DType::kI64, {7, 2}), bools = scalars(DType::kBool, {1, 1});
  EXPECT_EQ(divide(ints[0], ints[1]).dtype(), DType::kF32);
  EXPECT_EQ(divide(ints[0], ints[1]).item(), 3.5);
  EXPECT_EQ(sqrt(ints[0]).dtype(), DType::kF32);
  EXPECT_EQ(add(bools[0], bools[1]).dtype(), DType::kBool);
  EXPECT_EQ(subtract(bools[0], bools[1]).dtype(), DType::kI64);
  EXPECT_EQ(floor(ints[0]).dtype(), DType::kI64);
  EXPECT_EQ(abs(cast(ints[0], DType::kC128)).dtype(), DType::kF64);
  EXPECT_EQ(logical_and(Tensor::scalar(DType::kF32, kNaN), bools[0]).item(), 1);
}

TEST(Conventions, BoundsInTheWrongOrderGiveTheUpperOne) {
  EXPECT_EQ(value(kClip, {0.5, 2, 1}), 1);
  EXPECT_EQ(slope(kClip, {0.5, 2, 1}, 2), 1);
  EXPECT_EQ(slope(kClip, {0.5, 2, 1}, 1), 0);
}

TEST(Conventions, SlopesAtKinks) {
  EXPECT_EQ(slope(kMaximum, {2, 2}, 0), 0.5);
  EXPECT_EQ(slope(kMaximum, {2, 2}, 1), 0.5);
  EXPECT_EQ(slope(kMinimum, {2, 2}, 0), 0.5);
  EXPECT_EQ(slope(kMaximum, {kInf, 1}, 0), 1);
  EXPECT_EQ(slope(kAbs, {0}), 0);
  EXPECT_EQ(slope(kRelu, {0}), 0);
  EXPECT_EQ(slope(kClip, {1, 0, 1}, 0), 1);
  EXPECT_EQ(slope(kClip, {0, 0, 1}, 0), 1);
  EXPECT_EQ(slope(kClip, {2, 0, 1}, 0), 0);
  EXPECT_EQ(slope(kSqrt, {0}), kInf);
  EXPECT_EQ(slope(kAtan2, {0, 0}, 0), 0);
  EXPECT_EQ(slope(kAtan2, {0, 0}, 1), 0);
  for (const OpDef* op : {&kFloor, &kCeil, &kRound, &kTrunc, &kSign})
    EXPECT_EQ(slope(*op, {kInf}), 0);
}

TEST(Conventions, SlopesOfPowersOfZero) {
  EXPECT_EQ(slope(kPow, {0, 0}, 0), 0);
  EXPECT_EQ(slope(kPow, {0, 1}, 0), 1);
  EXPECT_EQ(slope(kPow, {0, 2}, 0), 0);
  EXPECT_EQ(slope(kPow, {0, 0.5}, 0), kInf);
  EXPECT_EQ(slope(kPow, {0, 2}, 1), 0);
  EXPECT_EQ(slope(kPow, {0, 0}, 1), 0);
  EXPECT_EQ(slope(kPow, {-2, 3}, 0), 12);
  EXPECT_TRUE(std::isnan(slope(kPow, {-2, 3}, 1)));
}

TEST(Conventions, WhatIsNotChosenLetsNoGradientThrough) {
  const Tensors in{Tensor::scalar(DType::kBool, 0), Tensor::scalar(DType::kF64, kNaN),
                   Tensor::scalar(DType::kF64, 3)};
  const Tensors out{where(in[0], in[1], in[2])};
  EXPECT_EQ(out[0].item(), 3);
  const bool wanted[] = {false, true, true};
  const GradCtx cx{in, out, wanted, Where{}};
  const Tensor g = Tensor::scalar(DType::kF64, kInf);
  const Tensors back = call_vjp(kWhere, &kNoAttrs, cx, {&g, 1});
  EXPECT_EQ(back[1].item(), 0);
  EXPECT_EQ(back[2].item(), kInf);
}

}  // namespace
}  // namespace weft
