// Pieces the expansions share: polynomials, bits, clamps that let NaN pass.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "weft/expr/expr.h"

namespace weft::expr_math {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline bool is_f32(Expr x) { return x.dtype() == DType::kF32; }
inline DType bits_dtype(Expr x) { return is_f32(x) ? DType::kU32 : DType::kU64; }
inline Expr bits(Expr x) { return bitcast(x, bits_dtype(x)); }
inline Expr from_bits(Expr u) {
  return bitcast(u, u.dtype() == DType::kU32 ? DType::kF32 : DType::kF64);
}
inline Expr bits_of(Expr like, uint64_t value) {
  return Expr::constant_bits(bits_dtype(like), value);
}
inline Expr literal(Expr like, double value) { return Expr::constant(like.dtype(), value); }

inline int mantissa_bits(Expr x) { return is_f32(x) ? 23 : 52; }
inline uint64_t sign_mask(Expr x) { return is_f32(x) ? 0x80000000u : 0x8000000000000000u; }

// `magnitude` is not negative here: its sign bit is free.
inline Expr with_sign_of(Expr magnitude, Expr x) {
  return from_bits(bits(magnitude) | (bits(x) & bits_of(x, sign_mask(x))));
}

// One instruction each, and NaN passes through.
inline Expr at_least(Expr x, double low) { return where(x < low, low, x); }
inline Expr at_most(Expr x, double high) { return where(Expr(high) < x, high, x); }

// c0 + x (c1 + x (c2 + ...)).
inline Expr polynomial(Expr x, std::span<const double> c) {
  Expr sum = literal(x, c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = fma(sum, x, literal(x, c[i]));
  return sum;
}

// `a` rounded to an integer n: as a float, and as bits whose low part holds n + bias, for shifting
// into an exponent. |n| must be far below 2^22 (f32) or 2^51 (f64).
struct Rounded {
  Expr value, shifted;
};
inline Rounded rounded(Expr sum, double magic) { return {sum - magic, bits(sum)}; }
inline double magic_of(Expr x, int bias) { return (is_f32(x) ? 0x1.8p23 : 0x1.8p52) + bias; }

// 2^n from such bits, where bias was that of the dtype (127 or 1023) and 2^n is normal.
inline Expr power_of_two(Expr shifted, Expr like) {
  return from_bits(shift_left(shifted, bits_of(like, static_cast<uint64_t>(mantissa_bits(like)))));
}

inline int bias_of(Expr x) { return is_f32(x) ? 127 : 1023; }

}  // namespace weft::expr_math
