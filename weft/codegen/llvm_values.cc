// From Expr nodes to LLVM values: leaves, arithmetic, comparison, selection.
#include "weft/codegen/llvm_values.h"

#include <llvm/IR/Intrinsics.h>

#include "weft/base/error.h"

namespace weft::codegen {

using llvm::Value;

llvm::Type* Values::element(DType dtype) const {
  switch (dtype) {
    case DType::kBool: return b_.getInt1Ty();
    case DType::kF32: return b_.getFloatTy();
    case DType::kF64: return b_.getDoubleTy();
    default: return b_.getIntNTy(static_cast<unsigned>(8 * size_of(dtype)));
  }
}

llvm::Type* Values::widened(llvm::Type* element) const {
  if (lanes_ == 1) return element;
  return llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes_));
}

Value* Values::splat(Value* scalar) const {
  return lanes_ == 1 ? scalar : b_.CreateVectorSplat(static_cast<unsigned>(lanes_), scalar);
}

llvm::Constant* Values::constant(DType dtype, double value) const {
  return llvm::ConstantFP::get(type(dtype), value);
}

llvm::Constant* Values::bits(llvm::Type* type, uint64_t value) const {
  return llvm::ConstantInt::get(type, value);
}

Value* Values::iota(llvm::Type* element) const {
  if (lanes_ == 1) return llvm::ConstantInt::get(element, 0);
  std::vector<llvm::Constant*> lanes;
  for (int i = 0; i < lanes_; ++i) {
    lanes.push_back(llvm::ConstantInt::get(element, static_cast<uint64_t>(i)));
  }
  return llvm::ConstantVector::get(lanes);
}

Value* Values::canonical_nan(DType dtype, Value* value) {
  if (!is_floating(dtype) || size_of(dtype) < 4) return value;
  const uint64_t quiet = dtype == DType::kF32 ? 0x7fc00000u : 0x7ff8000000000000u;
  llvm::Type* word = widened(b_.getIntNTy(static_cast<unsigned>(8 * size_of(dtype))));
  Value* nan = b_.CreateBitCast(bits(word, quiet), type(dtype));
  return b_.CreateSelect(b_.CreateFCmpUNO(value, value), nan, value);
}

Value* Values::call(llvm::Intrinsic::ID id, std::initializer_list<Value*> args) {
  return b_.CreateIntrinsic((*args.begin())->getType(), id, std::vector<Value*>(args));
}

Value* Values::value_of(const ExprNode* node) {
  if (const auto it = known_.find(node); it != known_.end()) return it->second;
  Value* value = compute(node);
  known_[node] = value;
  return value;
}

Value* Values::leaf(const ExprNode* node) {
  if (node->op == ExprOp::kInput) {
    const auto it = inputs_.find(node->index);
    WEFT_ASSERT(it != inputs_.end(), "input ", node->index, " is not bound");
    return it->second;
  }
  if (node->op == ExprOp::kReal || node->op == ExprOp::kImag) {
    const auto it = complex_.find(node->args[0]->index);
    WEFT_ASSERT(it != complex_.end(), "complex input ", node->args[0]->index, " is not bound");
    return node->op == ExprOp::kReal ? it->second.first : it->second.second;
  }
  WEFT_ASSERT(node->op == ExprOp::kConst, "no value for op ", static_cast<int>(node->op));
  llvm::Type* word = b_.getIntNTy(
      node->dtype == DType::kBool ? 1u : static_cast<unsigned>(8 * size_of(node->dtype)));
  return splat(llvm::ConstantExpr::getBitCast(llvm::ConstantInt::get(word, node->constant),
                                              element(node->dtype)));
}

Value* Values::compute(const ExprNode* node) {
  if (node->arity == 0 || node->op == ExprOp::kReal || node->op == ExprOp::kImag) return leaf(node);
  Value* args[3] = {};
  for (int i = 0; i < node->arity; ++i) args[i] = value_of(node->args[i]);
  switch (node->op) {
    case ExprOp::kSelect: return b_.CreateSelect(args[0], args[1], args[2]);
    case ExprOp::kCast: return convert(node->args[0]->dtype, node->dtype, args[0]);
    case ExprOp::kBitcast: return b_.CreateBitCast(args[0], type(node->dtype));
    case ExprOp::kFma:
      if (is_floating(node->dtype)) return call(llvm::Intrinsic::fma, {args[0], args[1], args[2]});
      return b_.CreateAdd(b_.CreateMul(args[0], args[1]), args[2]);
    case ExprOp::kLookup: return lookup(node, args[0]);
    case ExprOp::kLdexp: return ldexp(node->dtype, args[0], args[1]);
    case ExprOp::kEq:
    case ExprOp::kNe:
    case ExprOp::kLt:
    case ExprOp::kLe: return compare(node, args[0], args[1]);
    case ExprOp::kMin:
    case ExprOp::kMax: return smaller(node, args[0], args[1]);
    default: return arithmetic(node, args[0], args[1]);
  }
}

Value* Values::arithmetic(const ExprNode* node, Value* a, Value* b) {
  return is_floating(node->dtype) ? floating(node, a, b) : integral(node, a, b);
}

Value* Values::floating(const ExprNode* node, Value* a, Value* b) {
  switch (node->op) {
    case ExprOp::kAdd: return b_.CreateFAdd(a, b);
    case ExprOp::kSub: return b_.CreateFSub(a, b);
    case ExprOp::kMul: return b_.CreateFMul(a, b);
    case ExprOp::kDiv: return b_.CreateFDiv(a, b);
    case ExprOp::kNeg: return b_.CreateFNeg(a);
    case ExprOp::kAbs: return call(llvm::Intrinsic::fabs, {a});
    case ExprOp::kSqrt: return call(llvm::Intrinsic::sqrt, {a});
    case ExprOp::kFloor: return call(llvm::Intrinsic::floor, {a});
    case ExprOp::kCeil: return call(llvm::Intrinsic::ceil, {a});
    case ExprOp::kRound: return call(llvm::Intrinsic::roundeven, {a});
    case ExprOp::kTrunc: return call(llvm::Intrinsic::trunc, {a});
    default: fail(Code::kInternal, "codegen", "op", "no float op ", static_cast<int>(node->op));
  }
}

Value* Values::integral(const ExprNode* node, Value* a, Value* b) {
  switch (node->op) {
    case ExprOp::kAdd: return b_.CreateAdd(a, b);
    case ExprOp::kSub: return b_.CreateSub(a, b);
    case ExprOp::kMul: return b_.CreateMul(a, b);
    case ExprOp::kDiv: return divide(node->dtype, a, b);
    case ExprOp::kRem: return b_.CreateSub(a, b_.CreateMul(divide(node->dtype, a, b), b));
    case ExprOp::kNeg: return b_.CreateNeg(a);
    case ExprOp::kAbs:
      if (!is_signed_integer(node->dtype)) return a;
      return b_.CreateSelect(b_.CreateICmpSLT(a, bits(a->getType(), 0)), b_.CreateNeg(a), a);
    case ExprOp::kAnd: return b_.CreateAnd(a, b);
    case ExprOp::kOr: return b_.CreateOr(a, b);
    case ExprOp::kXor: return b_.CreateXor(a, b);
    case ExprOp::kNot: return b_.CreateNot(a);
    case ExprOp::kShl:
    case ExprOp::kLShr:
    case ExprOp::kAShr: return shift(node, a, b);
    case ExprOp::kMulHigh: return mul_high(a, b);
    default: fail(Code::kInternal, "codegen", "op", "no integer op ", static_cast<int>(node->op));
  }
}

Value* Values::compare(const ExprNode* node, Value* a, Value* b) {
  const DType dtype = node->args[0]->dtype;
  if (is_floating(dtype)) {
    switch (node->op) {
      case ExprOp::kEq: return b_.CreateFCmpOEQ(a, b);
      case ExprOp::kNe: return b_.CreateFCmpUNE(a, b);
      case ExprOp::kLt: return b_.CreateFCmpOLT(a, b);
      default: return b_.CreateFCmpOLE(a, b);
    }
  }
  const bool is_signed = is_signed_integer(dtype);
  switch (node->op) {
    case ExprOp::kEq: return b_.CreateICmpEQ(a, b);
    case ExprOp::kNe: return b_.CreateICmpNE(a, b);
    case ExprOp::kLt: return is_signed ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b);
    default: return is_signed ? b_.CreateICmpSLE(a, b) : b_.CreateICmpULE(a, b);
  }
}

Value* Values::smaller(const ExprNode* node, Value* a, Value* b) {
  if (is_floating(node->dtype)) return float_extreme(node, a, b);
  const bool is_signed = is_signed_integer(node->dtype);
  Value* less = is_signed ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b);
  return node->op == ExprOp::kMin ? b_.CreateSelect(less, a, b) : b_.CreateSelect(less, b, a);
}

}  // namespace weft::codegen
