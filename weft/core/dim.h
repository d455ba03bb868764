// Dim: one extent of a shape, an integer or a symbolic expression such as n, 2*n+1 or
// floor((n+1)/2).
//
// One word wide. Values at or below kSymbolicBase index interned polynomials, so comparing two dims
// is one compare.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/checked.h"

namespace weft {

// The answer to a question that symbols may leave open.
enum class Tri : uint8_t { kNo, kYes, kUnknown };

class Dim {
 public:
  constexpr Dim(int64_t value = 0) : value_(value) {}  // NOLINT(google-explicit-constructor)
  static Dim symbol(std::string_view name);

  constexpr bool is_known() const { return value_ > kSymbolicBase; }
  // The integer; a symbolic dim raises.
  int64_t value() const {
    if (!is_known()) [[unlikely]]
      fail_symbolic();
    return value_;
  }
  // The same polynomial, or the same integer. For sizes that may be equal without being written
  // alike use same().
  friend constexpr bool operator==(Dim a, Dim b) { return a.value_ == b.value_; }

  friend Dim operator+(Dim a, Dim b) {
    return known(a, b) ? Dim(checked_add(a.value_, b.value_)) : add_symbolic(a, b);
  }
  friend Dim operator-(Dim a, Dim b) {
    return known(a, b) ? Dim(checked_sub(a.value_, b.value_)) : subtract_symbolic(a, b);
  }
  friend Dim operator*(Dim a, Dim b) {
    return known(a, b) ? Dim(checked_mul(a.value_, b.value_)) : multiply_symbolic(a, b);
  }
  Dim& operator+=(Dim b) { return *this = *this + b; }
  Dim& operator*=(Dim b) { return *this = *this * b; }

 private:
  static constexpr int64_t kSymbolicBase = -(int64_t{1} << 62);
  static constexpr bool known(Dim a, Dim b) { return a.is_known() && b.is_known(); }
  [[noreturn]] void fail_symbolic() const;
  static Dim add_symbolic(Dim a, Dim b);
  static Dim subtract_symbolic(Dim a, Dim b);
  static Dim multiply_symbolic(Dim a, Dim b);

  int64_t value_;
};

// floor(a / b) and ceil(a / b); b = 0 raises. Exact division of symbols simplifies: 6*n / 2 is 3*n.
Dim floor_div(Dim a, Dim b);
Dim ceil_div(Dim a, Dim b);

// Are they equal for every value of the symbols (yes), for none (no), or does it depend (unknown)?
// Symbols stand for sizes, so they are at least 0.
Tri same(Dim a, Dim b);

std::string to_string(Dim dim);
void append_text(std::string& out, Dim dim);

}  // namespace weft
