// Making nodes: dtype checks, weak constants and folding.
#include "weft/expr/build.h"

#include <bit>
#include <cmath>
#include <limits>

#include "weft/base/error.h"
#include "weft/core/half.h"
#include "weft/expr/fold.h"
#include "weft/expr/intern.h"

namespace weft::expr_internal {

Expr make(ExprOp op, DType dtype, std::initializer_list<Expr> args) {
  ExprNode node = blank(op, dtype);
  for (const Expr& arg : args) node.args[node.arity++] = arg.node();
  if (const auto folded = fold(node)) return *folded;
  return intern(node);
}

Expr adapt(std::string_view who, Expr a, DType dtype) {
  if (!a->weak) {
    if (a.dtype() == dtype) return a;
    fail(Code::kType, who, "dtype", "an argument has dtype ", a.dtype(), " where ", dtype,
         " is needed; cast it");
  }
  if (a->op == ExprOp::kSelect) {
    return where(a.arg(0), adapt(who, a.arg(1), dtype), adapt(who, a.arg(2), dtype));
  }
  return Expr::constant(dtype, std::bit_cast<double>(a->constant));
}

void unify(std::string_view who, Expr& a, Expr& b) {
  if (a->weak && b->weak) return;
  if (a->weak) {
    a = adapt(who, a, b.dtype());
  } else if (b->weak) {
    b = adapt(who, b, a.dtype());
  } else if (a.dtype() != b.dtype()) {
    fail(Code::kType, who, "dtype", "arguments have dtypes ", a.dtype(), " and ", b.dtype(),
         "; they must be equal, so cast one");
  }
}

void require_float(std::string_view who, Expr a) {
  if (a.dtype() == DType::kF32 || a.dtype() == DType::kF64) return;
  fail(Code::kType, who, "floating", "an argument has dtype ", a.dtype(),
       "; this is computed in float32 or float64, so cast it");
}

void require_number(std::string_view who, Expr a) {
  if (is_integer(a.dtype()) || a.dtype() == DType::kF32 || a.dtype() == DType::kF64) return;
  fail(Code::kType, who, "number", "an argument has dtype ", a.dtype(),
       "; arithmetic needs an integer, float32 or float64, so cast it");
}

}  // namespace weft::expr_internal

namespace weft {
namespace {

using namespace expr_internal;

uint64_t integer_bits(DType dtype, double value) {
  const int bits = static_cast<int>(8 * size_of(dtype)) - (is_signed_integer(dtype) ? 1 : 0);
  const double bound = std::ldexp(1.0, bits);
  if (value != std::trunc(value) || value >= bound ||
      value < (is_signed_integer(dtype) ? -bound : 0.0)) {
    fail(Code::kType, "constant", "range", "the constant ", value, " is not a value of ", dtype,
         "; write one that is, or cast the other argument");
  }
  return value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                   : static_cast<uint64_t>(value);
}

// Through f32, but rounded to odd there, so that the second rounding sees what the first one lost.
float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (static_cast<double>(nearest) == value || value != value || (bits & 1) != 0) return nearest;
  return std::bit_cast<float>(std::fabs(nearest) < std::fabs(value) ? bits + 1 : bits - 1);
}

uint64_t value_bits(DType dtype, double value) {
  switch (dtype) {
    case DType::kF16: return Half::from_float(round_to_odd(value)).bits;
    case DType::kBF16: return BFloat16::from_float(round_to_odd(value)).bits;
    case DType::kF32: return std::bit_cast<uint32_t>(static_cast<float>(value));
    case DType::kF64: return std::bit_cast<uint64_t>(value);
    case DType::kBool:
      if (value != 0.0 && value != 1.0) {
        fail(Code::kType, "constant", "range", "the constant ", value,
             " is not a value of bool; write 0 or 1");
      }
      return value != 0.0;
    default: return integer_bits(dtype, value);
  }
}

Expr intern_constant(DType dtype, uint64_t bits, bool weak) {
  ExprNode node = blank(ExprOp::kConst, dtype);
  const int width = static_cast<int>(8 * size_of(dtype));
  node.constant = width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
  node.weak = weak;
  return intern(node);
}

}  // namespace

Expr::Expr(double value)
    : node_(intern_constant(DType::kF64, std::bit_cast<uint64_t>(value), true).node_) {}

Expr Expr::constant(DType dtype, double value) {
  if (is_complex(dtype)) {
    return make_complex(constant(real_of(dtype), value), constant(real_of(dtype), 0.0));
  }
  return intern_constant(dtype, value_bits(dtype, value), false);
}

Expr Expr::constant_bits(DType dtype, uint64_t bits) {
  if (is_complex(dtype)) {
    fail(Code::kType, "constant_bits", "dtype", "the dtype is ", dtype,
         "; make a complex constant of its parts");
  }
  return intern_constant(dtype, bits, false);
}

Expr Expr::input(uint32_t index, DType dtype) {
  ExprNode node = blank(ExprOp::kInput, dtype);
  node.index = index;
  const Expr whole = intern(node);
  if (!is_complex(dtype)) return whole;
  return make_complex(make(ExprOp::kReal, real_of(dtype), {whole}),
                      make(ExprOp::kImag, real_of(dtype), {whole}));
}

Expr Expr::position() { return intern(blank(ExprOp::kPosition, DType::kU64)); }
Expr Expr::row_length() { return intern(blank(ExprOp::kRowLength, DType::kI64)); }

Expr cast(Expr a, DType dtype) {
  if (a->weak) return adapt("cast", a, dtype);
  const DType from = a.dtype();
  if (from == dtype) return a;
  if (is_complex(from) && dtype == DType::kBool) return (real(a) != 0) | (imag(a) != 0);
  if (is_complex(from) && !is_complex(dtype)) {
    fail(Code::kType, "cast", "complex", "a ", from, " cannot become ", dtype,
         "; take real(), imag() or abs() of it");
  }
  if (is_complex(dtype)) {
    return make_complex(cast(real(a), real_of(dtype)), cast(imag(a), real_of(dtype)));
  }
  // The 16-bit floats convert only from and to f32, so that code generators need no other way.
  if (size_of(from) == 2 && is_floating(from)) {
    const Expr wide = make(ExprOp::kCast, DType::kF32, {a});
    return cast(wide, dtype);
  }
  if (dtype == DType::kBool) return a != Expr::constant(from, 0.0);
  const bool to_half = size_of(dtype) == 2 && is_floating(dtype);
  if (!to_half || from == DType::kF32) return make(ExprOp::kCast, dtype, {a});
  if (from != DType::kF64) {
    const bool exact = from == DType::kBool || size_of(from) <= 2;
    return cast(make(ExprOp::kCast, exact ? DType::kF32 : DType::kF64, {a}), dtype);
  }
  // f64: round to odd in f32 first; see round_to_odd.
  const Expr nearest = cast(a, DType::kF32);
  const Expr back = cast(nearest, DType::kF64);
  const Expr bits = bitcast(nearest, DType::kU32);
  const Expr moved = where(abs(back) < abs(a), bits + 1, bits - 1);
  const Expr odd = where((back != a) & ((bits & 1) == 0), moved, bits);
  return make(ExprOp::kCast, dtype, {bitcast(odd, DType::kF32)});
}

Expr bitcast(Expr a, DType dtype) {
  if (a->weak) return bitcast(adapt("bitcast", a, DType::kF64), dtype);
  if (size_of(a.dtype()) != size_of(dtype) || is_complex(a.dtype()) || is_complex(dtype) ||
      (a.dtype() == DType::kBool) != (dtype == DType::kBool)) {
    fail(Code::kType, "bitcast", "size", "from ", a.dtype(), " to ", dtype,
         "; both must be numbers of one size, neither complex nor bool");
  }
  return make(ExprOp::kBitcast, dtype, {a});
}

}  // namespace weft
