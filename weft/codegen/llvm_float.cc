// Float operations that x86 has no single instruction for: minimum and maximum, ldexp.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <bit>

#include "weft/codegen/llvm_chunks.h"
#include "weft/codegen/llvm_values.h"

namespace weft::codegen {

using llvm::Value;

namespace {

double float_constant(const ExprNode* node) {
  return node->dtype == DType::kF32 ? std::bit_cast<float>(static_cast<uint32_t>(node->constant))
                                    : std::bit_cast<double>(node->constant);
}

}  // namespace

// NaN if either is NaN, and -0 < +0. select(a < b, a, b) is minps: b if either is NaN or both are
// zeros. Both orders, or-ed, keep a NaN and the sign of a zero; and-ed, they keep the +0.
Value* Values::float_extreme(const ExprNode* node, Value* a, Value* b) {
  const bool is_min = node->op == ExprOp::kMin;
  const auto pick = [&](Value* x, Value* y) {
    return b_.CreateSelect(is_min ? b_.CreateFCmpOLT(x, y) : b_.CreateFCmpOGT(x, y), x, y);
  };
  const ExprNode* left = node->args[0];
  const ExprNode* right = node->args[1];
  if (left->op == ExprOp::kConst) {
    std::swap(left, right);
    std::swap(a, b);
  }
  if (right->op == ExprOp::kConst && float_constant(right) == float_constant(right)) {
    const uint64_t plus_zero = 0;
    const bool is_zero = float_constant(right) == 0;
    Value* result = pick(b, a);  // a NaN in `a` stays
    if (!is_zero || is_min == (right->constant == plus_zero)) return result;
    if (!is_min) return b_.CreateFAdd(result, b);  // -0 + +0 = +0
  }
  llvm::Type* word = widened(b_.getIntNTy(static_cast<unsigned>(8 * size_of(node->dtype))));
  Value* one = b_.CreateBitCast(pick(a, b), word);
  Value* other = b_.CreateBitCast(pick(b, a), word);
  if (is_min) return b_.CreateBitCast(b_.CreateOr(one, other), a->getType());
  Value* both = b_.CreateBitCast(b_.CreateAnd(one, other), a->getType());
  Value* nan = llvm::ConstantFP::getNaN(a->getType());
  return b_.CreateSelect(b_.CreateFCmpUNO(a, b), nan, both);
}

namespace {

// 2^n as a double; n must be in [-1022, 1023].
Value* power_of_two(Builder& b, Value* n, llvm::Type* doubles) {
  Value* biased = b.CreateAdd(n, llvm::ConstantInt::get(n->getType(), 1023));
  return b.CreateBitCast(b.CreateShl(biased, llvm::ConstantInt::get(n->getType(), 52)), doubles);
}

Value* clamp(Builder& b, Value* n, int64_t low, int64_t high) {
  Value* least = llvm::ConstantInt::getSigned(n->getType(), low);
  Value* most = llvm::ConstantInt::getSigned(n->getType(), high);
  n = b.CreateSelect(b.CreateICmpSLT(n, most), n, most);
  return b.CreateSelect(b.CreateICmpSGT(n, least), n, least);
}

Value* scalef(Builder& b, Value* x, Value* n) {
  const bool is_float = x->getType()->getScalarType()->isFloatTy();
  const auto id = is_float ? llvm::Intrinsic::x86_avx512_mask_scalef_ps_512
                           : llvm::Intrinsic::x86_avx512_mask_scalef_pd_512;
  return in_chunks(b, is_float ? 16 : 8, {x, n}, [&](std::span<Value* const> part) {
    llvm::Type* mask = b.getIntNTy(is_float ? 16 : 8);
    return b.CreateIntrinsic(id, {},
                             {part[0], part[1], part[0], llvm::ConstantInt::get(mask, ~0ull),
                              b.getInt32(4)});  // 4: the current rounding mode
  });
}

}  // namespace

// x * 2^n with one rounding.
Value* Values::ldexp(DType dtype, Value* x, Value* n) {
  const bool is_float = dtype == DType::kF32;
  if (machine_.masks && lanes_ % (is_float ? 16 : 8) == 0) {
    return scalef(b_, x, b_.CreateSIToFP(n, x->getType()));
  }
  llvm::Type* doubles = type(DType::kF64);
  if (is_float) {  // exact in double, then one rounding
    Value* exponent = b_.CreateSExt(clamp(b_, n, -400, 400), type(DType::kI64));
    Value* exact = b_.CreateFMul(b_.CreateFPExt(x, doubles), power_of_two(b_, exponent, doubles));
    return b_.CreateFPTrunc(exact, x->getType());
  }
  // The last factor takes as much as it can, so a product before it is rounded only where the
  // result is 0 anyway.
  n = clamp(b_, n, -3000, 3000);
  Value* last = clamp(b_, n, -1022, 1023);
  Value* rest = b_.CreateSub(n, last);
  Value* second = clamp(b_, rest, -1022, 1023);
  Value* first = clamp(b_, b_.CreateSub(rest, second), -1022, 1023);
  for (Value* part : {first, second, last}) {
    x = b_.CreateFMul(x, power_of_two(b_, part, doubles));
  }
  return x;
}

}  // namespace weft::codegen
