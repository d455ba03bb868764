// Operators on tensors; a language scalar on either side takes the tensor's dtype.
#pragma once

#include "weft/ops/math/math.h"

namespace weft {

// Captures the line an operator is used on.
struct Located {
  Tensor scalar;  // holds what is not a tensor yet: a language scalar, the value of a Variable
  const Tensor& tensor;
  Where where;

  Located(const Tensor& tensor, Where where = Where::here())  // NOLINT(google-explicit-constructor)
      : tensor(tensor), where(where) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  Located(T value, Where where = Where::here())  // NOLINT(google-explicit-constructor)
      : scalar(value), tensor(scalar), where(where) {}
  // A Variable: its value now.
  template <class V>
    requires requires(const V& v) { v.read(); }
  Located(const V& variable, Where where = Where::here())  // NOLINT(google-explicit-constructor)
      : scalar(variable.read()), tensor(scalar), where(where) {}
  Located(const Located&) = delete;  // `tensor` may point into this object
};

inline Tensor operator+(const Located& a, const Tensor& b) { return add(a.tensor, b, a.where); }
inline Tensor operator-(const Located& a, const Tensor& b) {
  return subtract(a.tensor, b, a.where);
}
inline Tensor operator*(const Located& a, const Tensor& b) {
  return multiply(a.tensor, b, a.where);
}
inline Tensor operator/(const Located& a, const Tensor& b) { return divide(a.tensor, b, a.where); }
inline Tensor operator%(const Located& a, const Tensor& b) {
  return remainder(a.tensor, b, a.where);
}
inline Tensor operator-(const Located& a) { return negative(a.tensor, a.where); }
inline Tensor operator&(const Located& a, const Tensor& b) {
  return bitwise_and(a.tensor, b, a.where);
}
inline Tensor operator|(const Located& a, const Tensor& b) {
  return bitwise_or(a.tensor, b, a.where);
}
inline Tensor operator^(const Located& a, const Tensor& b) {
  return bitwise_xor(a.tensor, b, a.where);
}
inline Tensor operator~(const Located& a) { return bitwise_invert(a.tensor, a.where); }
inline Tensor operator!(const Located& a) { return logical_not(a.tensor, a.where); }
inline Tensor operator==(const Located& a, const Tensor& b) { return equal(a.tensor, b, a.where); }
inline Tensor operator!=(const Located& a, const Tensor& b) {
  return not_equal(a.tensor, b, a.where);
}
// Exact matches: C++20 would otherwise also try these with their sides exchanged.
template <class T>
  requires std::is_arithmetic_v<T>
Tensor operator==(const Tensor& a, T b) {
  return equal(a, Tensor(b));
}
template <class T>
  requires std::is_arithmetic_v<T>
Tensor operator==(T a, const Tensor& b) {
  return equal(Tensor(a), b);
}
template <class T>
  requires std::is_arithmetic_v<T>
Tensor operator!=(const Tensor& a, T b) {
  return not_equal(a, Tensor(b));
}
template <class T>
  requires std::is_arithmetic_v<T>
Tensor operator!=(T a, const Tensor& b) {
  return not_equal(Tensor(a), b);
}
inline Tensor operator<(const Located& a, const Tensor& b) { return less(a.tensor, b, a.where); }
inline Tensor operator<=(const Located& a, const Tensor& b) {
  return less_equal(a.tensor, b, a.where);
}
inline Tensor operator>(const Located& a, const Tensor& b) { return greater(a.tensor, b, a.where); }
inline Tensor operator>=(const Located& a, const Tensor& b) {
  return greater_equal(a.tensor, b, a.where);
}

// A constant in the dtype of `like`, for formulas that are generic over {Expr, Tensor}: where both
// branches of a `where` are constants, nothing else tells its dtype.
inline Expr scalar_like(Expr like, double value) { return Expr::constant(like.dtype(), value); }
inline Tensor scalar_like(const Tensor& like, double value) {
  return Tensor::scalar(like.dtype(), value);
}

}  // namespace weft
