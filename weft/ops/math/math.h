// Elementwise math on tensors: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// Arithmetic (add, multiply, multiply_no_nan, cast and conj are in op/builtin.h)
Tensor subtract(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor divide(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor floor_divide(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor remainder(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor pow(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor maximum(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor minimum(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor atan2(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor logaddexp(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor logaddexp2(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor hypot(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor copysign(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor nextafter(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor fmod(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor fmax(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor fmin(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor xlogy(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor xlog1py(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor heaviside(const Tensor& x, const Tensor& value, Where where = Where::here());

// Comparison and logic
Tensor equal(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor not_equal(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor less(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor less_equal(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor greater(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor greater_equal(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor logical_and(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor logical_or(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor logical_xor(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor logical_not(const Tensor& x, Where where = Where::here());
Tensor bitwise_and(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor bitwise_or(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor bitwise_xor(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor bitwise_invert(const Tensor& x, Where where = Where::here());
Tensor bitwise_left_shift(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor bitwise_right_shift(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b,
             Where where = Where::here());
Tensor clip(const Tensor& x, const Tensor& min, const Tensor& max, Where where = Where::here());

// Functions of one argument
Tensor negative(const Tensor& x, Where where = Where::here());
Tensor abs(const Tensor& x, Where where = Where::here());
Tensor sign(const Tensor& x, Where where = Where::here());
Tensor signbit(const Tensor& x, Where where = Where::here());
Tensor sqrt(const Tensor& x, Where where = Where::here());
Tensor rsqrt(const Tensor& x, Where where = Where::here());
Tensor cbrt(const Tensor& x, Where where = Where::here());
Tensor square(const Tensor& x, Where where = Where::here());
Tensor reciprocal(const Tensor& x, Where where = Where::here());
Tensor exp(const Tensor& x, Where where = Where::here());
Tensor expm1(const Tensor& x, Where where = Where::here());
Tensor log(const Tensor& x, Where where = Where::here());
Tensor log1p(const Tensor& x, Where where = Where::here());
Tensor exp2(const Tensor& x, Where where = Where::here());
Tensor log2(const Tensor& x, Where where = Where::here());
Tensor log10(const Tensor& x, Where where = Where::here());
Tensor sin(const Tensor& x, Where where = Where::here());
Tensor cos(const Tensor& x, Where where = Where::here());
Tensor tan(const Tensor& x, Where where = Where::here());
Tensor sinc(const Tensor& x, Where where = Where::here());
Tensor asin(const Tensor& x, Where where = Where::here());
Tensor acos(const Tensor& x, Where where = Where::here());
Tensor atan(const Tensor& x, Where where = Where::here());
Tensor sinh(const Tensor& x, Where where = Where::here());
Tensor cosh(const Tensor& x, Where where = Where::here());
Tensor tanh(const Tensor& x, Where where = Where::here());
Tensor asinh(const Tensor& x, Where where = Where::here());
Tensor acosh(const Tensor& x, Where where = Where::here());
Tensor atanh(const Tensor& x, Where where = Where::here());
Tensor sigmoid(const Tensor& x, Where where = Where::here());
Tensor logit(const Tensor& x, Where where = Where::here());
Tensor erf(const Tensor& x, Where where = Where::here());
Tensor erfc(const Tensor& x, Where where = Where::here());
Tensor erfinv(const Tensor& x, Where where = Where::here());
Tensor lgamma(const Tensor& x, Where where = Where::here());
Tensor digamma(const Tensor& x, Where where = Where::here());
Tensor polygamma(int64_t n, const Tensor& x, Where where = Where::here());
Tensor floor(const Tensor& x, Where where = Where::here());
Tensor ceil(const Tensor& x, Where where = Where::here());
Tensor round(const Tensor& x, Where where = Where::here());
Tensor trunc(const Tensor& x, Where where = Where::here());
Tensor isnan(const Tensor& x, Where where = Where::here());
Tensor isinf(const Tensor& x, Where where = Where::here());
Tensor isfinite(const Tensor& x, Where where = Where::here());
Tensor real(const Tensor& x, Where where = Where::here());
Tensor imag(const Tensor& x, Where where = Where::here());
Tensor angle(const Tensor& x, Where where = Where::here());
// An infinity without a replacement becomes the end of the dtype.
Tensor nan_to_num(const Tensor& x, double nan = 0, std::optional<double> posinf = {},
                  std::optional<double> neginf = {}, Where where = Where::here());

extern const OpDef kAdd, kSubtract, kMultiply, kMultiplyNoNan, kDivide, kFloorDivide, kRemainder,
    kPow, kMaximum, kMinimum, kAtan2, kLogAddExp, kEqual, kNotEqual, kLess, kLessEqual, kGreater,
    kGreaterEqual, kLogicalAnd, kLogicalOr, kLogicalXor, kLogicalNot, kBitwiseAnd, kBitwiseOr,
    kBitwiseXor, kBitwiseInvert, kBitwiseLeftShift, kBitwiseRightShift, kWhere, kClip, kCast,
    kNegative, kAbs, kSign, kSqrt, kRsqrt, kSquare, kReciprocal, kExp, kExpm1, kLog, kLog1p, kSin,
    kCos, kTan, kTanh, kSigmoid, kErf, kFloor, kCeil, kRound, kTrunc, kIsNan, kIsInf, kIsFinite,
    kReal, kImag, kConj, kLogAddExp2, kHypot, kCopysign, kFmod, kFmax, kFmin, kXlogy, kXlog1py,
    kHeaviside, kSignbit, kExp2, kLog2, kLog10, kSinc, kSinh, kCosh, kLogit, kErfc, kNextafter,
    kCbrt, kAsin, kAcos, kAtan, kAsinh, kAcosh, kAtanh, kErfinv, kLgamma, kDigamma, kPolygamma;
extern const CompositeDef kAngle, kNanToNum;

struct CastAttrs {
  DType dtype = DType::kF32;
  static constexpr auto fields =
      fields_of(field("dtype", &CastAttrs::dtype, "the dtype to convert to", kRequired));
};

}  // namespace weft
