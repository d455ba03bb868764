// Integer operations with stated results where LLVM leaves them open: division, shifts.
#include <llvm/IR/Intrinsics.h>

#include "weft/codegen/llvm_values.h"

namespace weft::codegen {

using llvm::Value;

// x / 0 = 0 and min / -1 = min; no lane ever traps. Up to 32 bits the quotient comes from a float
// division that is exact after truncation: a quotient is no nearer to the next integer than 1 / b,
// which is more than the rounding of a type with twice the bits.
Value* Values::divide(DType dtype, Value* a, Value* b) {
  llvm::Type* type = a->getType();
  const bool is_signed = is_signed_integer(dtype);
  Value* zero = b_.CreateICmpEQ(b, bits(type, 0));
  Value* minus_one = is_signed ? b_.CreateICmpEQ(b, bits(type, ~uint64_t{0})) : nullptr;
  Value* safe = b_.CreateSelect(minus_one ? b_.CreateOr(zero, minus_one) : zero, bits(type, 1), b);
  Value* quotient;
  if (size_of(dtype) == 8) {
    quotient = is_signed ? b_.CreateSDiv(a, safe) : b_.CreateUDiv(a, safe);
  } else {
    llvm::Type* wide = widened(size_of(dtype) == 4 ? b_.getDoubleTy() : b_.getFloatTy());
    Value* x = is_signed ? b_.CreateSIToFP(a, wide) : b_.CreateUIToFP(a, wide);
    Value* y = is_signed ? b_.CreateSIToFP(safe, wide) : b_.CreateUIToFP(safe, wide);
    Value* q = b_.CreateFDiv(x, y);
    if (size_of(dtype) == 4 && !is_signed) {
      quotient = b_.CreateFPToUI(q, type);
    } else {
      quotient = b_.CreateTrunc(b_.CreateFPToSI(q, widened(b_.getInt32Ty())), type);
    }
  }
  if (minus_one) quotient = b_.CreateSelect(minus_one, b_.CreateNeg(a), quotient);
  return b_.CreateSelect(zero, bits(type, 0), quotient);
}

// A shift by the width or more gives 0, or the sign.
Value* Values::shift(const ExprNode* node, Value* a, Value* n) {
  llvm::Type* type = a->getType();
  const auto width = static_cast<uint64_t>(8 * size_of(node->dtype));
  const ExprNode* amount = node->args[1];
  const bool in_range = amount->op == ExprOp::kConst && amount->constant < width;
  if (node->op == ExprOp::kAShr) {
    if (in_range) return b_.CreateAShr(a, n);
    Value* small = b_.CreateICmpULT(n, bits(type, width));
    return b_.CreateAShr(a, b_.CreateSelect(small, n, bits(type, width - 1)));
  }
  const bool left = node->op == ExprOp::kShl;
  if (in_range) return left ? b_.CreateShl(a, n) : b_.CreateLShr(a, n);
  Value* small = b_.CreateICmpULT(n, bits(type, width));
  Value* safe = b_.CreateSelect(small, n, bits(type, 0));
  Value* shifted = left ? b_.CreateShl(a, safe) : b_.CreateLShr(a, safe);
  return b_.CreateSelect(small, shifted, bits(type, 0));
}

Value* Values::mul_high(Value* a, Value* b) {
  llvm::Type* wide = widened(b_.getInt64Ty());
  Value* product = b_.CreateMul(b_.CreateZExt(a, wide), b_.CreateZExt(b, wide));
  return b_.CreateTrunc(b_.CreateLShr(product, bits(wide, 32)), a->getType());
}

}  // namespace weft::codegen
