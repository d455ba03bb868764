// Folding of nodes with constant arguments, and the identities that hold for every bit pattern.
#include "weft/expr/fold.h"

#include <bit>
#include <cstring>

#include "weft/expr/evaluate_block.h"

namespace weft::expr_internal {
namespace {

bool is_nan_bits(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::kF16: return (bits & 0x7fff) > 0x7c00;
    case DType::kBF16: return (bits & 0x7fff) > 0x7f80;
    case DType::kF32: return (bits & 0x7fffffff) > 0x7f800000;
    case DType::kF64: return (bits & ~(1ull << 63)) > 0x7ff0000000000000;
    default: return false;
  }
}

bool is_value(const ExprNode* node, double value) {
  return node->op == ExprOp::kConst && !is_complex(node->dtype) &&
         node->constant == Expr::constant(node->dtype, value)->constant;
}

std::optional<Expr> fold_constants(const ExprNode& node) {
  const void* args[3] = {};
  for (int i = 0; i < node.arity; ++i) {
    if (node.args[i]->op != ExprOp::kConst) return std::nullopt;
    args[i] = &node.args[i]->constant;  // little endian: the value starts at the first byte
  }
  uint64_t bits = 0;
  evaluate_block(node, args, &bits, 1);
  // The sign and payload of a NaN that arithmetic makes belong to the hardware.
  if (is_nan_bits(node.dtype, bits)) return std::nullopt;
  return Expr::constant_bits(node.dtype, bits);
}

// x op neutral = x, for the neutral element on the right (and on the left if commutative).
std::optional<Expr> fold_neutral(const ExprNode& node, double neutral, bool commutative) {
  if (is_value(node.args[1], neutral)) return Expr(node.args[0]);
  if (commutative && is_value(node.args[0], neutral)) return Expr(node.args[1]);
  return std::nullopt;
}

std::optional<Expr> fold_identity(const ExprNode& node) {
  const ExprNode* a = node.args[0];
  const bool integer = is_integer(node.dtype);
  switch (node.op) {
    case ExprOp::kAdd:
      return fold_neutral(node, integer ? 0.0 : -0.0, true);  // x + 0 turns -0 to +0
    case ExprOp::kSub: return fold_neutral(node, 0.0, false);
    case ExprOp::kMul: return fold_neutral(node, 1.0, true);
    case ExprOp::kDiv: return fold_neutral(node, 1.0, false);
    case ExprOp::kOr:
    case ExprOp::kXor: return fold_neutral(node, 0.0, true);
    case ExprOp::kShl:
    case ExprOp::kLShr:
    case ExprOp::kAShr: return fold_neutral(node, 0.0, false);
    case ExprOp::kNot:
    case ExprOp::kNeg:
      if (a->op == node.op) return Expr(a->args[0]);
      return std::nullopt;
    case ExprOp::kAbs:
      if (a->op == ExprOp::kAbs) return Expr(a);
      return std::nullopt;
    case ExprOp::kSelect:
      if (a->op == ExprOp::kConst) return Expr(node.args[a->constant != 0 ? 1 : 2]);
      if (node.args[1] == node.args[2]) return Expr(node.args[1]);
      return std::nullopt;
    case ExprOp::kCast:
      if (a->dtype == node.dtype) return Expr(a);
      return std::nullopt;
    case ExprOp::kBitcast:
      if (a->dtype == node.dtype) return Expr(a);
      if (a->op == ExprOp::kBitcast) return bitcast(Expr(a->args[0]), node.dtype);
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Expr> fold(const ExprNode& node) {
  if (node.arity == 0 || node.op == ExprOp::kCall || node.op == ExprOp::kReduce ||
      node.op >= ExprOp::kReal) {
    return std::nullopt;
  }
  if (auto same = fold_identity(node)) return same;
  return fold_constants(node);
}

}  // namespace weft::expr_internal
