// Reading sizes: sums of products of numbers, symbols, floor((a)/b) and max(a,b).
#include "weft/core/dim_text.h"

#include <algorithm>

#include "weft/base/error.h"

namespace weft {
namespace {

constexpr int kDeepest = 50;
constexpr size_t kLongest = 4096;
constexpr int64_t kHighestPower = 64;

class DimReader {
 public:
  explicit DimReader(std::string_view& rest) : rest_(rest), left_(rest.size()) {}

  std::optional<Dim> sum() {
    if (++depth_ > kDeepest) return {};
    std::vector<Dim> terms;
    for (bool is_first = true;; is_first = false) {
      const bool minus = take("-");
      if (!minus && !take("+") && !is_first) break;
      const std::optional<Dim> next = product();
      if (!next || is_too_long()) return {};
      terms.push_back(minus ? Dim(0) - *next : *next);
    }
    --depth_;
    return total(terms);
  }

 private:
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool is_too_long() const { return left_ - rest_.size() > kLongest; }

  // Halves: every partial sum is kept for ever, and so there are few long ones.
  static Dim total(std::span<const Dim> terms) {
    if (terms.size() == 1) return terms[0];
    const size_t half = terms.size() / 2;
    return total(terms.first(half)) + total(terms.subspan(half));
  }
  // What was simplified to a sum may have very many terms as a power; and what is printed must be
  // readable again.
  static std::optional<Dim> times(Dim a, Dim b) {
    const Dim out = a * b;
    if (out.is_known()) return out;
    const std::string printed = to_string(out);
    if (printed.size() > kLongest) return {};
    for (size_t at = printed.find('^'); at != std::string::npos; at = printed.find('^', at + 1)) {
      int64_t power = 0;
      std::from_chars(printed.data() + at + 1, printed.data() + printed.size(), power);
      if (power > kHighestPower) return {};
    }
    return out;
  }

  std::optional<Dim> product() {
    std::optional<Dim> out = factor();
    while (out && take("*")) {
      const std::optional<Dim> next = factor();
      if (!next || is_too_long()) return {};
      out = times(*out, *next);
    }
    return out;
  }
  std::optional<Dim> factor() {
    const std::optional<Dim> base = atom();
    if (!base || !take("^")) return base;
    const std::optional<int64_t> power = number();
    if (!power || *power < 1 || *power > kHighestPower) return {};
    std::optional<Dim> out = base;
    for (int64_t i = 1; out && i < *power; ++i) out = times(*out, *base);
    return out;
  }
  std::optional<Dim> atom() {
    if (take("floor((")) return quotient();
    if (take("max(")) return maximum();
    if (rest_.empty()) return {};
    if ('0' <= rest_.front() && rest_.front() <= '9') {
      const std::optional<int64_t> value = number();
      return value ? std::optional<Dim>(*value) : std::nullopt;
    }
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), [](char c) {
      return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
             c == '_' || c == '?' || c == '.';
    });
    const std::string_view name = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    if (name.empty()) return {};
    rest_.remove_prefix(name.size());
    return Dim::symbol(name);
  }
  // Behind "floor((": "n+1)/2)", or "n+1)/(m+1))".
  std::optional<Dim> quotient() {
    const std::optional<Dim> a = sum();
    if (!a || !take(")/")) return {};
    const bool in_parentheses = take("(");
    const std::optional<Dim> b = in_parentheses ? sum() : product_with_sign();
    if (!b || (in_parentheses && !take(")")) || !take(")") || *b == Dim(0)) return {};
    return floor_div(*a, *b);
  }
  std::optional<Dim> product_with_sign() {
    const bool minus = take("-");
    const std::optional<Dim> out = product();
    return out && minus ? std::optional<Dim>(Dim(0) - *out) : out;
  }
  std::optional<Dim> maximum() {
    const std::optional<Dim> a = sum();
    if (!a || !take(",")) return {};
    const std::optional<Dim> b = sum();
    if (!b || !take(")")) return {};
    return weft::max(*a, *b);
  }
  std::optional<int64_t> number() {
    int64_t out = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc()) return {};
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    // Below this a word is no integer but a symbolic size.
    return out < int64_t{1} << 62 ? std::optional<int64_t>(out) : std::nullopt;
  }

  std::string_view& rest_;
  const size_t left_;
  int depth_ = 0;
};

}  // namespace

std::optional<Dim> parse_dim(std::string_view text) {
  const std::optional<Dim> out = DimReader(text).sum();
  return text.empty() ? out : std::nullopt;
}

Dim read_dim(TextCursor& cursor) {
  cursor.skip_space();
  const std::string_view before = cursor.rest();
  try {
    if (const std::optional<Dim> out = DimReader(cursor.rest()).sum()) return *out;
  } catch (const Error& error) {  // a size that does not fit
    cursor.fail_before(before, error.message);
  }
  cursor.fail_before(before, "expected a size");
}

}  // namespace weft
