// to_string: expressions as people would write them.
#include <bit>
#include <charconv>
#include <string>

#include "weft/base/text.h"
#include "weft/core/half.h"
#include "weft/expr/expr.h"

namespace weft {
namespace {

// How tightly an operator binds; functions and leaves bind tightest.
enum Level { kLowest, kBits, kCompare, kSum, kProduct, kUnary, kLeaf };

struct Infix {
  const char* sign;
  Level level;
};

Infix infix_of(ExprOp op) {
  switch (op) {
    case ExprOp::kAdd: return {" + ", kSum};
    case ExprOp::kSub: return {" - ", kSum};
    case ExprOp::kMul: return {" * ", kProduct};
    case ExprOp::kDiv: return {" / ", kProduct};
    case ExprOp::kRem: return {" % ", kProduct};
    case ExprOp::kEq: return {" == ", kCompare};
    case ExprOp::kNe: return {" != ", kCompare};
    case ExprOp::kLt: return {" < ", kCompare};
    case ExprOp::kLe: return {" <= ", kCompare};
    case ExprOp::kAnd: return {" & ", kBits};
    case ExprOp::kOr: return {" | ", kBits};
    case ExprOp::kXor: return {" ^ ", kBits};
    default: return {nullptr, kLeaf};
  }
}

std::string function_name(const ExprNode& node) {
  switch (node.op) {
    case ExprOp::kFma: return "fma";
    case ExprOp::kAbs: return "abs";
    case ExprOp::kMin: return "minimum";
    case ExprOp::kMax: return "maximum";
    case ExprOp::kSqrt: return "sqrt";
    case ExprOp::kFloor: return "floor";
    case ExprOp::kCeil: return "ceil";
    case ExprOp::kRound: return "round";
    case ExprOp::kTrunc: return "trunc";
    case ExprOp::kShl: return "shift_left";
    case ExprOp::kLShr:
    case ExprOp::kAShr: return "shift_right";
    case ExprOp::kMulHigh: return "mul_high";
    case ExprOp::kSelect: return "where";
    case ExprOp::kCast: return std::string(short_name_of(node.dtype));
    case ExprOp::kBitcast: return text("bits_", short_name_of(node.dtype));
    case ExprOp::kLdexp: return "ldexp";
    case ExprOp::kLookup: return text("table", node.table);
    case ExprOp::kCall: return std::string(name_of(node.fn));
    case ExprOp::kReal: return "real";
    case ExprOp::kImag: return "imag";
    case ExprOp::kComplex: return "complex";
    case ExprOp::kReduce: {
      constexpr const char* names[] = {"row_sum", "row_prod", "row_max", "row_min"};
      return names[static_cast<size_t>(node.reduce)];
    }
    default: return "?";
  }
}

// The shortest form that reads back as the same float.
std::string float_text(float value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  std::string out(buffer, end);
  if (out.find_first_not_of("-0123456789") == std::string::npos) out += ".0";
  return out;
}

std::string constant_text(const ExprNode& node) {
  switch (node.dtype) {
    case DType::kBool: return node.constant != 0 ? "true" : "false";
    case DType::kF16: return float_text(Half{static_cast<uint16_t>(node.constant)}.to_float());
    case DType::kBF16: return float_text(BFloat16{static_cast<uint16_t>(node.constant)}.to_float());
    case DType::kF32: return float_text(std::bit_cast<float>(static_cast<uint32_t>(node.constant)));
    case DType::kF64: return text(std::bit_cast<double>(node.constant));
    default: break;
  }
  if (is_unsigned_integer(node.dtype)) return text(node.constant);
  const int unused = 64 - static_cast<int>(8 * size_of(node.dtype));
  return text(static_cast<int64_t>(node.constant << unused) >> unused);
}

void print(std::string& out, const ExprNode& node, Level around);

void print_function(std::string& out, const ExprNode& node) {
  out += function_name(node);
  for (int i = 0; i < node.arity; ++i) {
    out += i == 0 ? "(" : ", ";
    print(out, *node.args[i], kLowest);
  }
  out += ")";
}

void print_infix(std::string& out, const ExprNode& node, Infix infix, Level around) {
  const bool parentheses = infix.level < around || (infix.level == kBits && around == kBits);
  if (parentheses) out += "(";
  print(out, *node.args[0], infix.level);
  out += infix.sign;
  print(out, *node.args[1], static_cast<Level>(infix.level + 1));
  if (parentheses) out += ")";
}

void print(std::string& out, const ExprNode& node, Level around) {
  const Infix infix = infix_of(node.op);
  if (infix.sign != nullptr) return print_infix(out, node, infix, around);
  switch (node.op) {
    case ExprOp::kConst: append_text(out, constant_text(node)); break;
    case ExprOp::kInput: append_text(out, text("a", node.index)); break;
    case ExprOp::kPosition: out += "position"; break;
    case ExprOp::kRowLength: out += "row_length"; break;
    case ExprOp::kNeg:
    case ExprOp::kNot:
      out += node.op == ExprOp::kNeg ? "-" : "~";
      print(out, *node.args[0], kLeaf);
      break;
    default: print_function(out, node);
  }
}

}  // namespace

std::string to_string(Expr root) {
  std::string out;
  print(out, *root.node(), kLowest);
  return out;
}

}  // namespace weft
