// Expr nodes as C statements: one local constant a node.
#include "weft/codegen/c_values.h"

#include "weft/base/error.h"

namespace weft::codegen {

const char* c_type(DType dtype) {
  switch (dtype) {
    case DType::kBool: return "_Bool";
    case DType::kU8: return "uint8_t";
    case DType::kI8: return "int8_t";
    case DType::kU16:
    case DType::kF16:
    case DType::kBF16: return "uint16_t";
    case DType::kI16: return "int16_t";
    case DType::kU32: return "uint32_t";
    case DType::kI32: return "int32_t";
    case DType::kU64: return "uint64_t";
    case DType::kI64: return "int64_t";
    case DType::kF32: return "float";
    default: return "double";
  }
}

const char* c_memory_type(DType dtype) {
  return dtype == DType::kBool ? "uint8_t" : c_type(real_of(dtype));
}

namespace {

std::string hex(uint64_t bits) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llxu", static_cast<unsigned long long>(bits));
  return std::string(text) + (bits >> 32 ? "ll" : "");
}

std::string constant_text(const ExprNode* node) {
  if (node->dtype == DType::kF32) return "weft_f32(" + hex(node->constant) + ")";
  if (node->dtype == DType::kF64) return "weft_f64(" + hex(node->constant) + ")";
  return std::string("(") + c_type(node->dtype) + ")" + hex(node->constant);
}

// "weft_min_i32", for helpers of the prelude.
std::string helper(const char* name, DType dtype) {
  return std::string("weft_") + name + "_" + std::string(short_name_of(dtype));
}

std::string called(const std::string& name, const ExprNode* node, const std::string* args) {
  std::string text = name + "(";
  for (int i = 0; i < node->arity; ++i) text += (i ? ", " : "") + args[i];
  return text + ")";
}

// Integers compute in an unsigned type that no promotion makes signed, and wrap.
std::string wrapped(DType dtype, const std::string& a, const char* op, const std::string& b) {
  const std::string wide = size_of(dtype) == 8 ? "(uint64_t)" : "(uint32_t)";
  return std::string("(") + c_type(dtype) + ")(" + wide + a + " " + op + " " + wide + b + ")";
}

const char* float_function(ExprOp op) {
  switch (op) {
    case ExprOp::kFma: return "fma";
    case ExprOp::kAbs: return "fabs";
    case ExprOp::kSqrt: return "sqrt";
    case ExprOp::kFloor: return "floor";
    case ExprOp::kCeil: return "ceil";
    case ExprOp::kRound: return "nearbyint";
    case ExprOp::kTrunc: return "trunc";
    default: return nullptr;
  }
}

const char* infix(ExprOp op) {
  switch (op) {
    case ExprOp::kAdd: return "+";
    case ExprOp::kSub: return "-";
    case ExprOp::kMul: return "*";
    case ExprOp::kDiv: return "/";
    case ExprOp::kEq: return "==";
    case ExprOp::kNe: return "!=";
    case ExprOp::kLt: return "<";
    case ExprOp::kLe: return "<=";
    case ExprOp::kAnd: return "&";
    case ExprOp::kOr: return "|";
    case ExprOp::kXor: return "^";
    default: return nullptr;
  }
}

const char* helper_name(ExprOp op) {
  switch (op) {
    case ExprOp::kDiv: return "div";
    case ExprOp::kRem: return "rem";
    case ExprOp::kMin: return "min";
    case ExprOp::kMax: return "max";
    case ExprOp::kAbs: return "abs";
    case ExprOp::kShl: return "shl";
    case ExprOp::kLShr: return "lshr";
    case ExprOp::kAShr: return "ashr";
    case ExprOp::kMulHigh: return "mul_high";
    case ExprOp::kLdexp: return "ldexp";
    default: return nullptr;
  }
}

}  // namespace

std::string CValues::operator()(Expr e) {
  const ExprNode* node = e.node();
  if (const auto it = known_.find(node); it != known_.end()) return it->second;
  std::string text = expression(node);
  if (node->op != ExprOp::kConst) {
    const std::string name = fresh();
    code_ += indent_ + "const " + c_type(node->dtype) + " " + name + " = " + text + ";\n";
    text = name;
  }
  known_[node] = text;
  return text;
}

std::string CValues::expression(const ExprNode* node) {
  if (node->op == ExprOp::kConst) return constant_text(node);
  WEFT_ASSERT(node->arity > 0, "no C for leaf ", static_cast<int>(node->op));
  std::string args[3];
  for (int i = 0; i < node->arity; ++i) args[i] = (*this)(Expr(node->args[i]));
  switch (node->op) {
    case ExprOp::kSelect: return args[0] + " ? " + args[1] + " : " + args[2];
    case ExprOp::kCast: return cast(node->args[0]->dtype, node->dtype, args[0]);
    case ExprOp::kBitcast:
      if (is_floating(node->dtype) && size_of(node->dtype) > 2) {
        return helper("from_bits", node->dtype) + "(" + args[0] + ")";
      }
      if (stores_nan(node->args[0]->dtype)) {
        return std::string("(") + c_type(node->dtype) + ")" +
               helper("to_bits", node->args[0]->dtype) + "(" + args[0] + ")";
      }
      return std::string("(") + c_type(node->dtype) + ")" + args[0];
    case ExprOp::kLookup: {
      const std::string at = std::to_string(table_of(node->table).size() - 1);
      const std::string entry = table_name(node->table) + "[" + args[0] + " & " + at + "]";
      if (!stores_nan(node->dtype)) return std::string("(") + c_type(node->dtype) + ")" + entry;
      return helper("from_bits", node->dtype) + "(" + entry + ")";
    }
    default: return numeric(node, args);
  }
}

std::string CValues::numeric(const ExprNode* node, const std::string* args) {
  const DType dtype = node->dtype;
  const char* op = infix(node->op);
  const char* function = helper_name(node->op);
  if (is_floating(dtype)) {
    const std::string suffix = dtype == DType::kF32 ? "f" : "";
    if (const char* name = float_function(node->op)) return called(name + suffix, node, args);
    if (node->op == ExprOp::kNeg) return "-" + args[0];
    if (op) return args[0] + " " + op + " " + args[1];
  } else if (dtype == DType::kBool) {
    if (node->op == ExprOp::kNot) return "!" + args[0];
    if (op) return args[0] + " " + op + " " + args[1];  // comparisons of any dtype, and logic
  } else {
    if (node->op == ExprOp::kNeg) return wrapped(dtype, "0", "-", args[0]);
    if (node->op == ExprOp::kNot) return std::string("(") + c_type(dtype) + ")~" + args[0];
    if (node->op == ExprOp::kFma) {
      return wrapped(dtype, wrapped(dtype, args[0], "*", args[1]), "+", args[2]);
    }
    if (op && node->op != ExprOp::kDiv) return wrapped(dtype, args[0], op, args[1]);
  }
  WEFT_ASSERT(function != nullptr, "no C for op ", static_cast<int>(node->op));
  return called(helper(function, dtype), node, args);
}

std::string CValues::cast(DType from, DType to, const std::string& x) {
  if (from == to) return x;
  const auto half = [](DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; };
  if (half(from)) {
    const std::string wide = helper("load", from) + "(" + x + ")";
    return to == DType::kF32 ? wide : cast(DType::kF32, to, wide);
  }
  if (half(to)) return helper("store", to) + "((float)" + x + ")";
  if (to == DType::kBool) return x + " != 0";
  if (is_floating(from) && is_integer(to)) {
    return helper("saturate", to) + "_" + std::string(short_name_of(from)) + "(" + x + ")";
  }
  return std::string("(") + c_type(to) + ")" + x;
}

void CValues::load_input(const std::vector<const ExprNode*>& nodes, uint32_t input, DType dtype,
                         const std::string& pointer, const std::string& index) {
  for (const ExprNode* node : nodes) {
    const bool part = node->op == ExprOp::kReal || node->op == ExprOp::kImag;
    const bool whole = node->op == ExprOp::kInput && node->index == input;
    if (!(whole && !is_complex(dtype)) && !(part && node->args[0]->index == input)) continue;
    const std::string name = fresh();
    std::string text = pointer + "[" + index + "]";
    if (part) text = pointer + "[2 * (" + index + ")" + (node->op == ExprOp::kImag ? " + 1]" : "]");
    if (dtype == DType::kBool) text += " != 0";
    code_ += indent_ + "const " + c_type(node->dtype) + " " + name + " = " + text + ";\n";
    known_[node] = name;
  }
}

void CValues::load_local(const ExprNode* node, const std::string& value) {
  const std::string name = fresh();
  code_ += indent_ + "const " + c_type(node->dtype) + " " + name + " = " + value + ";\n";
  known_[node] = name;
}

void CValues::store(Expr out, const std::string& pointer, const std::string& index) {
  const auto canonical = [&](Expr value) {
    const std::string text = (*this)(value);
    return stores_nan(value.dtype()) ? helper("canonical", value.dtype()) + "(" + text + ")" : text;
  };
  if (!is_complex(out.dtype())) {
    const std::string value = canonical(out);
    code_ += indent_ + pointer + "[" + index + "] = " + value + ";\n";
    return;
  }
  WEFT_ASSERT(out->op == ExprOp::kComplex, "complex output that is not a pair: ", to_string(out));
  const std::string real = canonical(out.arg(0)), imag = canonical(out.arg(1));
  code_ += indent_ + pointer + "[2 * (" + index + ")] = " + real + ";\n";
  code_ += indent_ + pointer + "[2 * (" + index + ") + 1] = " + imag + ";\n";
}

}  // namespace weft::codegen
