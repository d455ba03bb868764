// Dim: one extent of a shape, an integer or a symbolic expression such as n, 2*n+1 or
// floor((n+1)/2).
//
// One word wide. Values at or below kSymbolicBase index interned polynomials, so comparing two dims
// is one compare.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/checked.h"

namespace weft {

// The answer to a question that symbols may leave open.
enum class Tri : uint8_t { kNo, kYes, kUnknown };

class Dim {
 public:
  constexpr Dim(int64_t value = 0) : value_(value) {}  // NOLINT(google-explicit-constructor)
  static Dim symbol(std::string_view name);

  constexpr bool is_known() const { return value_ > kSymbolicBase; }
  // The integer. Of a symbolic dim it is what the thread's DimOracle says; without one it raises.
  int64_t value() const {
    if (!is_known()) [[unlikely]]
      return symbolic_value();
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
  int64_t symbolic_value() const;
  static Dim add_symbolic(Dim a, Dim b);
  static Dim subtract_symbolic(Dim a, Dim b);
  static Dim multiply_symbolic(Dim a, Dim b);

  int64_t value_;
};

// floor(a / b) and ceil(a / b); b = 0 raises. Exact division of symbols simplifies: 6*n / 2 is 3*n.
Dim floor_div(Dim a, Dim b);
Dim ceil_div(Dim a, Dim b);
Dim max(Dim a, Dim b);
Dim min(Dim a, Dim b);

// Are they equal for every value of the symbols (yes), for none (no), or does it depend (unknown)?
// Symbols stand for sizes, so they are at least 0.
Tri same(Dim a, Dim b);

// Decides what symbols leave open on the thread where it is installed: a trace does so by the sizes
// it has seen, and records what it took for granted.
class DimOracle {
 public:
  virtual ~DimOracle() = default;
  virtual int64_t value_of(Dim dim) = 0;  // raises if it cannot tell
  virtual Tri is_same(Dim a, Dim b) = 0;  // asked where same() is unknown
  // The size it has in the call that is traced; nothing if there is none. Nothing is recorded.
  virtual std::optional<int64_t> hint(Dim dim) = 0;
  virtual Tri is_less(Dim a, Dim b) = 0;  // a < b
};
// The oracle of this thread for as long as it lives (null: none).
class DimOracleIs {
 public:
  explicit DimOracleIs(DimOracle* oracle);
  ~DimOracleIs();
  DimOracleIs(const DimOracleIs&) = delete;
  DimOracleIs& operator=(const DimOracleIs&) = delete;

 private:
  DimOracle* const outer_;
};

// same() and a < b, with the oracle's answer where symbols leave it open.
Tri decide_same(Dim a, Dim b);
Tri decide_less(Dim a, Dim b);

// The integer, if it is known or the oracle decides it; and the one to expect, for choices that any
// size may get.
std::optional<int64_t> decided_value(Dim dim);
std::optional<int64_t> hinted_value(Dim dim);

// A symbol and what stands for it.
struct DimBinding {
  Dim symbol, value;
};
// `dim` with its symbols replaced; those without a binding stay.
Dim substituted(Dim dim, std::span<const DimBinding> bindings);
// The symbols a dim is made of, each once, in the order they are met; `out` keeps what it has.
void append_symbols(std::vector<Dim>& out, Dim dim);
// Reads what to_string prints; nothing if `text` is no dim.
std::optional<Dim> parse_dim(std::string_view text);

std::string to_string(Dim dim);
void append_text(std::string& out, Dim dim);

}  // namespace weft
