// The functions that build expressions: arithmetic, comparison, bits, selection, math calls.
#include "weft/expr/expr.h"

#include <cmath>
#include <limits>

#include "weft/base/error.h"
#include "weft/expr/build.h"
#include "weft/expr/intern.h"

namespace weft {

using namespace expr_internal;

namespace {

// Two weak constants stay weak: the language's own arithmetic, in f64.
Expr keep_weak(Expr result) {
  ExprNode node = *result.node();
  WEFT_ASSERT(node.op == ExprOp::kConst, "a weak value that is no constant: ", to_string(result));
  node.weak = true;
  return intern(node);
}

Expr make_weak(ExprOp op, Expr a, Expr b) {
  const Expr result =
      make(op, DType::kF64, {adapt("constant", a, DType::kF64), adapt("constant", b, DType::kF64)});
  return result.is_constant() ? keep_weak(result) : result;
}

bool both_weak_constants(Expr a, Expr b) {
  return a->weak && b->weak && a.is_constant() && b.is_constant();
}

Expr arithmetic(const char* who, ExprOp op, Expr a, Expr b) {
  if (both_weak_constants(a, b)) return make_weak(op, a, b);
  unify(who, a, b);
  require_number(who, a);
  return make(op, a.dtype(), {a, b});
}

Expr comparison(const char* who, ExprOp op, Expr a, Expr b) {
  unify(who, a, b);
  if (a->weak) {
    a = adapt(who, a, DType::kF64);
    b = adapt(who, b, DType::kF64);
  }
  if (a.dtype() == DType::kBool) {
    // false < true, in logic: code generators never compare bools.
    switch (op) {
      case ExprOp::kEq: return ~(a ^ b);
      case ExprOp::kNe: return a ^ b;
      case ExprOp::kLt: return ~a & b;
      default: return ~a | b;
    }
  }
  require_number(who, a);
  return make(op, DType::kBool, {a, b});
}

Expr bitwise(const char* who, ExprOp op, Expr a, Expr b) {
  unify(who, a, b);
  if (a.dtype() != DType::kBool && !is_integer(a.dtype())) {
    fail(Code::kType, who, "bits", "an argument has dtype ", a.dtype(),
         "; bits are those of bool and integers, so bitcast it");
  }
  return make(op, a.dtype(), {a, b});
}

Expr shift(const char* who, ExprOp op, Expr a, Expr n) {
  unify(who, a, n);
  if (!is_integer(a.dtype())) {
    fail(Code::kType, who, "bits", "an argument has dtype ", a.dtype(),
         "; only integers shift, so bitcast it");
  }
  return make(op, a.dtype(), {a, n});
}

Expr float_unary(const char* who, ExprOp op, Expr a) {
  if (a->weak) {
    const Expr result = make(op, DType::kF64, {adapt(who, a, DType::kF64)});
    return result.is_constant() ? keep_weak(result) : result;
  }
  require_float(who, a);
  return make(op, a.dtype(), {a});
}

// floor, ceil, round and trunc of an integer are the integer.
Expr rounding(const char* who, ExprOp op, Expr a) {
  return is_integer(a.dtype()) ? a : float_unary(who, op, a);
}

bool complex_pair(const char* who, Expr& a, Expr& b) {
  if (!is_complex(a.dtype()) && !is_complex(b.dtype())) return false;
  unify(who, a, b);
  return true;
}

Expr reduce(Reduce kind, Expr a) {
  if (a->weak) a = adapt("reduce", a, DType::kF64);
  if (is_complex(a.dtype())) {
    if (kind != Reduce::kSum) {
      fail(Code::kType, "reduce", "complex", "the argument has dtype ", a.dtype(),
           "; along a row complex numbers can only be summed");
    }
    return make_complex(reduce(kind, real(a)), reduce(kind, imag(a)));
  }
  require_number("reduce", a);
  ExprNode node = blank(ExprOp::kReduce, a.dtype());
  node.reduce = kind;
  node.arity = 1;
  node.args[0] = a.node();
  return intern(node);
}

}  // namespace

Expr operator+(Expr a, Expr b) {
  if (complex_pair("add", a, b)) return make_complex(real(a) + real(b), imag(a) + imag(b));
  return arithmetic("add", ExprOp::kAdd, a, b);
}
Expr operator-(Expr a, Expr b) {
  if (complex_pair("subtract", a, b)) return make_complex(real(a) - real(b), imag(a) - imag(b));
  return arithmetic("subtract", ExprOp::kSub, a, b);
}
Expr operator*(Expr a, Expr b) {
  if (complex_pair("multiply", a, b)) return complex_mul(a, b);
  return arithmetic("multiply", ExprOp::kMul, a, b);
}
Expr operator/(Expr a, Expr b) {
  if (complex_pair("divide", a, b)) return complex_div(a, b);
  return arithmetic("divide", ExprOp::kDiv, a, b);
}
Expr operator%(Expr a, Expr b) {
  unify("remainder", a, b);
  if (!is_integer(a.dtype())) {
    fail(Code::kType, "remainder", "integer", "an argument has dtype ", a.dtype(),
         "; % is for integers, write x - y * floor(x / y)");
  }
  return make(ExprOp::kRem, a.dtype(), {a, b});
}
Expr operator-(Expr a) {
  if (is_complex(a.dtype())) return make_complex(-real(a), -imag(a));
  if (a->weak) return float_unary("negative", ExprOp::kNeg, a);
  require_number("negative", a);
  return make(ExprOp::kNeg, a.dtype(), {a});
}
Expr operator&(Expr a, Expr b) { return bitwise("bitwise_and", ExprOp::kAnd, a, b); }
Expr operator|(Expr a, Expr b) { return bitwise("bitwise_or", ExprOp::kOr, a, b); }
Expr operator^(Expr a, Expr b) { return bitwise("bitwise_xor", ExprOp::kXor, a, b); }
Expr operator~(Expr a) {
  if (a.dtype() != DType::kBool && !is_integer(a.dtype())) {
    fail(Code::kType, "bitwise_invert", "bits", "the argument has dtype ", a.dtype(),
         "; bits are those of bool and integers, so bitcast it");
  }
  return make(ExprOp::kNot, a.dtype(), {a});
}
Expr operator!(Expr a) { return a.dtype() == DType::kBool ? ~a : a == 0; }

Expr operator==(Expr a, Expr b) {
  if (complex_pair("equal", a, b)) return (real(a) == real(b)) & (imag(a) == imag(b));
  return comparison("equal", ExprOp::kEq, a, b);
}
Expr operator!=(Expr a, Expr b) {
  if (complex_pair("not_equal", a, b)) return (real(a) != real(b)) | (imag(a) != imag(b));
  return comparison("not_equal", ExprOp::kNe, a, b);
}
Expr operator<(Expr a, Expr b) { return comparison("less", ExprOp::kLt, a, b); }
Expr operator<=(Expr a, Expr b) { return comparison("less_equal", ExprOp::kLe, a, b); }
Expr operator>(Expr a, Expr b) { return comparison("greater", ExprOp::kLt, b, a); }
Expr operator>=(Expr a, Expr b) { return comparison("greater_equal", ExprOp::kLe, b, a); }

Expr fma(Expr a, Expr b, Expr c) {
  if (a->weak && b->weak && c->weak) return a * b + c;
  unify("fma", a, b);
  unify("fma", b, c);
  unify("fma", a, b);  // the third one may have decided
  require_float("fma", a);
  return make(ExprOp::kFma, a.dtype(), {a, b, c});
}

Expr abs(Expr a) {
  if (is_complex(a.dtype())) return complex_abs(a);
  if (is_unsigned_integer(a.dtype())) return a;
  if (a->weak) return float_unary("abs", ExprOp::kAbs, a);
  require_number("abs", a);
  return make(ExprOp::kAbs, a.dtype(), {a});
}

Expr maximum(Expr a, Expr b) {
  if (a.dtype() == DType::kBool || b.dtype() == DType::kBool) return a | b;
  return arithmetic("maximum", ExprOp::kMax, a, b);
}
Expr minimum(Expr a, Expr b) {
  if (a.dtype() == DType::kBool || b.dtype() == DType::kBool) return a & b;
  return arithmetic("minimum", ExprOp::kMin, a, b);
}

Expr sqrt(Expr a) {
  if (is_complex(a.dtype())) return complex_sqrt(a);
  return float_unary("sqrt", ExprOp::kSqrt, a);
}
Expr floor(Expr a) { return rounding("floor", ExprOp::kFloor, a); }
Expr ceil(Expr a) { return rounding("ceil", ExprOp::kCeil, a); }
Expr round(Expr a) { return rounding("round", ExprOp::kRound, a); }
Expr trunc(Expr a) { return rounding("trunc", ExprOp::kTrunc, a); }

Expr where(Expr condition, Expr then, Expr otherwise) {
  if (condition.dtype() != DType::kBool) {
    fail(Code::kType, "where", "condition", "the condition has dtype ", condition.dtype(),
         "; it must be bool, so compare or cast");
  }
  if (complex_pair("where", then, otherwise)) {
    return make_complex(where(condition, real(then), real(otherwise)),
                        where(condition, imag(then), imag(otherwise)));
  }
  unify("where", then, otherwise);
  const Expr result = make(ExprOp::kSelect, then.dtype(), {condition, then, otherwise});
  if (!then->weak || result->weak) return result;
  ExprNode node = *result.node();
  node.weak = true;
  return intern(node);
}

Expr ldexp(Expr a, Expr n) {
  require_float("ldexp", a);
  n = adapt("ldexp", n, a.dtype() == DType::kF32 ? DType::kI32 : DType::kI64);
  return make(ExprOp::kLdexp, a.dtype(), {a, n});
}

Expr shift_left(Expr a, Expr n) { return shift("shift_left", ExprOp::kShl, a, n); }
Expr shift_right(Expr a, Expr n) {
  return shift("shift_right", is_signed_integer(a.dtype()) ? ExprOp::kAShr : ExprOp::kLShr, a, n);
}

Expr mul_high(Expr a, Expr b) {
  a = adapt("mul_high", a, DType::kU32);
  b = adapt("mul_high", b, DType::kU32);
  return make(ExprOp::kMulHigh, DType::kU32, {a, b});
}

Expr isnan(Expr a) {
  if (is_complex(a.dtype())) return isnan(real(a)) | isnan(imag(a));
  if (!is_floating(a.dtype())) return Expr::constant(DType::kBool, 0.0);
  return a != a;
}
Expr isinf(Expr a) {
  if (is_complex(a.dtype())) return isinf(real(a)) | isinf(imag(a));
  if (!is_floating(a.dtype())) return Expr::constant(DType::kBool, 0.0);
  return abs(a) == std::numeric_limits<double>::infinity();
}

Expr real(Expr a) { return a->op == ExprOp::kComplex ? a.arg(0) : a; }
Expr imag(Expr a) {
  if (a->op == ExprOp::kComplex) return a.arg(1);
  return a->weak ? Expr(0.0) : Expr::constant(a.dtype(), 0.0);
}
Expr conj(Expr a) { return is_complex(a.dtype()) ? make_complex(real(a), -imag(a)) : a; }
Expr make_complex(Expr real, Expr imag) {
  unify("make_complex", real, imag);
  require_float("make_complex", real);
  return make(ExprOp::kComplex, complex_of(real.dtype()), {real, imag});
}

Expr lookup(std::span<const double> table, Expr index, DType dtype) {
  if (table.empty() || table.size() > 256 || size_of(dtype) < 4 || is_complex(dtype)) {
    fail(Code::kInvalid, "lookup", "table", "a table of ", table.size(), " entries of ", dtype,
         "; it must have 1 to 256 entries of a real dtype of 4 or 8 bytes");
  }
  if (index.dtype() != DType::kU32 && index.dtype() != DType::kU64) {
    fail(Code::kType, "lookup", "index", "the index has dtype ", index.dtype(),
         "; it must be uint32 or uint64");
  }
  size_t length = 1;
  while (length < table.size()) length *= 2;
  uint64_t entries[256] = {};
  for (size_t i = 0; i < table.size(); ++i) {
    entries[i] = Expr::constant(dtype, table[i])->constant;
  }
  return lookup_bits(std::span<const uint64_t>(entries, length), index, dtype);
}

Expr lookup_bits(std::span<const uint64_t> entries, Expr index, DType dtype) {
  WEFT_ASSERT((entries.size() & (entries.size() - 1)) == 0 && !entries.empty(), entries.size());
  if (index.is_constant()) {
    return Expr::constant_bits(dtype, entries[index->constant & (entries.size() - 1)]);
  }
  ExprNode node = blank(ExprOp::kLookup, dtype);
  node.table = intern_table(entries);
  node.arity = 1;
  node.args[0] = index.node();
  return intern(node);
}

Expr rsqrt(Expr a) {
  if (a->weak || is_complex(a.dtype())) return Expr(1.0) / sqrt(a);
  return Expr::constant(a.dtype(), 1.0) / sqrt(a);
}
Expr square(Expr a) { return a * a; }

Expr row_sum(Expr a) { return reduce(Reduce::kSum, a); }
Expr row_prod(Expr a) { return reduce(Reduce::kProd, a); }
Expr row_max(Expr a) { return reduce(Reduce::kMax, a); }
Expr row_min(Expr a) { return reduce(Reduce::kMin, a); }

}  // namespace weft
