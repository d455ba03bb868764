// The ops of math/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/math/math.h"

namespace weft {

// clang-format off
static constexpr const OpDef* kOps[] = {
    &kAdd,
    &kSubtract,
    &kMultiply,
    &kMultiplyNoNan,
    &kDivide,
    &kFloorDivide,
    &kRemainder,
    &kPow,
    &kMaximum,
    &kMinimum,
    &kAtan2,
    &kLogAddExp,
    &kEqual,
    &kNotEqual,
    &kLess,
    &kLessEqual,
    &kGreater,
    &kGreaterEqual,
    &kLogicalAnd,
    &kLogicalOr,
    &kLogicalXor,
    &kLogicalNot,
    &kBitwiseAnd,
    &kBitwiseOr,
    &kBitwiseXor,
    &kBitwiseInvert,
    &kBitwiseLeftShift,
    &kBitwiseRightShift,
    &kWhere,
    &kClip,
    &kCast,
    &kNegative,
    &kAbs,
    &kSign,
    &kSqrt,
    &kRsqrt,
    &kSquare,
    &kReciprocal,
    &kExp,
    &kExpm1,
    &kLog,
    &kLog1p,
    &kSin,
    &kCos,
    &kTan,
    &kTanh,
    &kSigmoid,
    &kErf,
    &kFloor,
    &kCeil,
    &kRound,
    &kTrunc,
    &kIsNan,
    &kIsInf,
    &kIsFinite,
    &kReal,
    &kImag,
    &kConj,
};
// clang-format on
extern const Family kMathFamily;
constinit const Family kMathFamily{"math", kOps, {}};

}  // namespace weft
