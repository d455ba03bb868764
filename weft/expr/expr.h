// Expr: the scalar language an op's meaning is written in.
//
// An Expr is a handle to an immutable, hash-consed node: equal expressions are one node, so
// identity is equality and shared work is computed once. Functions carry the names of the ops on
// tensors, so a formula that is generic over {Expr, Tensor} reads the same for both:
//
//   template <class T> T gap(T a, T b) { return where(a == b, T(0.0), a - b); }
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "weft/core/dtype.h"

namespace weft {

// What a node does. Comparisons give bool; everything else gives the dtype of its (equal) arguments
// unless said.
enum class ExprOp : uint8_t {
  kConst,      // `constant` holds the bits of the value, in its dtype
  kInput,      // `index`: which input of the kernel
  kPosition,   // u64: the linear index of the element in the output
  kRowLength,  // i64: elements in the row (row kernels and reductions)
  kAdd,
  kSub,
  kMul,  // integers wrap
  kDiv,  // floats IEEE; integers truncate, x / 0 = 0, min / -1 = min
  kRem,  // integers only: x - (x / y) * y, so x % 0 = x
  kFma,  // one rounding
  kNeg,
  kAbs,
  kMin,  // NaN if either is NaN; -0 < +0
  kMax,
  kSqrt,
  kFloor,
  kCeil,
  kRound,  // to nearest, ties to even
  kTrunc,
  kEq,
  kNe,
  kLt,
  kLe,
  kAnd,  // bool and integers
  kOr,
  kXor,
  kNot,
  kShl,  // a shift by the width or more gives 0 (kAShr: the sign)
  kLShr,
  kAShr,
  kMulHigh,  // u32: the upper half of the 64-bit product
  kSelect,   // args: bool, then, otherwise
  kCast,     // value conversion; float to integer saturates, NaN gives 0; to bool is != 0
  kBitcast,  // same size
  kLdexp,    // x * 2^n with one rounding; n is i32 (f32) or i64 (f64)
  kLookup,   // args: u32/u64 index, taken modulo the table's length; `table`: which table
  kCall,     // `fn` of the arguments; expanded at lowering
  kReal,     // parts of a complex input
  kImag,
  kComplex,  // args: real part, imaginary part
  kReduce,   // `reduce` over the row the argument runs along (row kernels)
};

// Math functions: accuracy is stated in docs/numerics.md, expansions are in expr/math/.
enum class Fn : uint8_t {
  kExp,
  kExpm1,
  kExp2,
  kLog,
  kLog1p,
  kLog2,
  kLog10,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kSigmoid,
  kErf,
  kErfc,
  kPow,
  kCbrt,
  kAsinh,
  kAcosh,
  kAtanh,
  kErfinv,
  kLgamma,
  kDigamma,
};
inline constexpr int kNumFns = 27;
std::string_view name_of(Fn fn);

enum class Reduce : uint8_t { kSum, kProd, kMax, kMin };

struct ExprNode {
  ExprOp op;
  DType dtype;
  bool weak;  // a constant from a language scalar: takes the dtype of what it meets
  uint8_t arity;
  Fn fn;              // kCall
  Reduce reduce;      // kReduce
  uint16_t table;     // kLookup: see table_of
  uint32_t index;     // kInput
  uint32_t id;        // order of creation: arguments come before their users
  uint64_t constant;  // kConst: the value's bits
  const ExprNode* args[3];
};

class Expr {
 public:
  Expr(double value);  // NOLINT(google-explicit-constructor): constants in formulas; weak
  Expr(int value) : Expr(static_cast<double>(value)) {}  // NOLINT(google-explicit-constructor)
  explicit Expr(const ExprNode* node) : node_(node) {}

  static Expr constant(DType dtype, double value);        // rounded to dtype
  static Expr constant_bits(DType dtype, uint64_t bits);  // exactly these bits
  static Expr input(uint32_t index, DType dtype);  // complex inputs come as kComplex of their parts
  static Expr position();
  static Expr row_length();

  const ExprNode* node() const { return node_; }
  const ExprNode* operator->() const { return node_; }
  DType dtype() const { return node_->dtype; }
  bool is_constant() const { return node_->op == ExprOp::kConst; }
  Expr arg(int i) const { return Expr(node_->args[i]); }

  bool identical(Expr other) const { return node_ == other.node_; }

 private:
  const ExprNode* node_;
};

// Arithmetic. Mixed dtypes are a mistake of the author of the formula and raise; weak constants
// adapt, and raise where an integer cannot hold them. f16 and bf16 only convert (to and from f32),
// move (where, bitcast) and are stored; bools are never compared or converted to by kCast nodes,
// but by logic and kNe.
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator%(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator&(Expr a, Expr b);
Expr operator|(Expr a, Expr b);
Expr operator^(Expr a, Expr b);
Expr operator~(Expr a);
Expr operator&&(Expr a, Expr b) = delete;  // no short circuit: write a & b
Expr operator||(Expr a, Expr b) = delete;
Expr operator!(Expr a);
Expr operator==(Expr a, Expr b);
Expr operator!=(Expr a, Expr b);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);

Expr fma(Expr a, Expr b, Expr c);
Expr abs(Expr a);  // of a complex number: its modulus, without overflow
Expr maximum(Expr a, Expr b);
Expr minimum(Expr a, Expr b);
Expr sqrt(Expr a);
Expr floor(Expr a);
Expr ceil(Expr a);
Expr round(Expr a);
Expr trunc(Expr a);
Expr where(Expr condition, Expr then, Expr otherwise);
Expr cast(Expr a, DType dtype);
Expr bitcast(Expr a, DType dtype);
Expr ldexp(Expr a, Expr n);
Expr shift_left(Expr a, Expr n);
Expr shift_right(Expr a, Expr n);  // arithmetic for signed types, logical for unsigned
Expr mul_high(Expr a, Expr b);     // u32
Expr isnan(Expr a);
Expr isinf(Expr a);
Expr real(Expr a);
Expr imag(Expr a);
Expr conj(Expr a);
Expr make_complex(Expr real, Expr imag);
Expr lookup(std::span<const double> table, Expr index,
            DType dtype);  // table: at most 256 entries of dtype, padded by 0 to a power of two
Expr lookup_bits(std::span<const uint64_t> entries, Expr index, DType dtype);  // a power of two

// Math functions: Call nodes for f32 and f64; complex arguments expand at once into Calls on the
// parts.
Expr call(Fn fn, Expr a);
Expr call(Fn fn, Expr a, Expr b);
Expr exp(Expr a);
Expr expm1(Expr a);
Expr exp2(Expr a);
Expr log(Expr a);
Expr log1p(Expr a);
Expr log2(Expr a);
Expr log10(Expr a);
Expr sin(Expr a);
Expr cos(Expr a);
Expr tan(Expr a);
Expr asin(Expr a);
Expr acos(Expr a);
Expr atan(Expr a);
Expr sinh(Expr a);
Expr cosh(Expr a);
Expr tanh(Expr a);
Expr sigmoid(Expr a);
Expr erf(Expr a);
Expr erfc(Expr a);
Expr cbrt(Expr a);
Expr asinh(Expr a);
Expr acosh(Expr a);
Expr atanh(Expr a);
Expr erfinv(Expr a);
Expr lgamma(Expr a);
Expr digamma(Expr a);
Expr pow(Expr a, Expr b);
Expr atan2(Expr y, Expr x);  // built of atan, in C99's quadrants
Expr rsqrt(Expr a);          // 1 / sqrt(a), two roundings
Expr square(Expr a);

// Over the row an expression runs along; the result is one value for the whole row.
Expr row_sum(Expr a);
Expr row_prod(Expr a);
Expr row_max(Expr a);
Expr row_min(Expr a);

// The bits of entry i of a lookup table, as its dtype.
std::span<const uint64_t> table_of(uint16_t table);

// Replaces every Call by its expansion for its dtype: what code generators lower.
Expr expand_calls(Expr root);

// A readable form, for tests and for people: "maximum(a0, a1) + log1p(exp(-abs(a0 - a1)))".
std::string to_string(Expr root);

// Which inputs the expression reads: bit i for input i.
uint32_t inputs_read(Expr root);

}  // namespace weft
