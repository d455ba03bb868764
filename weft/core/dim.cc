// Symbolic dims: interned polynomials over symbols, floor quotients and maxima.
#include "weft/core/dim.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft {
namespace {

// A product of atoms, sorted; the empty product is the constant term.
using Monomial = std::vector<int32_t>;
using Polynomial = std::map<Monomial, int64_t>;  // no zero coefficients

// What a polynomial is made of: a symbol, floor(a / b), or max(a, b), where a and b are raw dims.
enum class AtomKind : uint8_t { kSymbol, kFloorDiv, kMax };
struct Atom {
  std::string name;
  AtomKind kind = AtomKind::kSymbol;
  int64_t a = 0, b = 0;
};

// Everything symbolic in the process. Entries are never removed: programs have few distinct dims.
struct Table {
  std::mutex mutex;
  std::vector<std::unique_ptr<const Polynomial>> polynomials;
  std::unordered_map<std::string, int64_t> polynomial_index;  // by text
  std::vector<Atom> atoms;
  std::unordered_map<std::string, int32_t> atom_index;  // by name
};

Table& table() {
  static Table* const instance = new Table;  // never destroyed: dims may outlive static destruction
  return *instance;
}

constexpr int64_t kBase = -(int64_t{1} << 62);

int32_t atom(Atom made) {
  Table& t = table();
  const auto [it, is_new] =
      t.atom_index.try_emplace(made.name, static_cast<int32_t>(t.atoms.size()));
  if (is_new) t.atoms.push_back(std::move(made));
  return it->second;
}

std::string monomial_text(const Monomial& monomial) {
  std::string out;
  for (size_t i = 0; i < monomial.size();) {
    size_t power = 1;
    while (i + power < monomial.size() && monomial[i + power] == monomial[i]) ++power;
    if (!out.empty()) out += '*';
    out += table().atoms[static_cast<size_t>(monomial[i])].name;
    if (power > 1) out += text('^', power);
    i += power;
  }
  return out;
}

// Higher powers first, the constant last: 2*n+1.
std::string polynomial_text(const Polynomial& polynomial) {
  std::vector<std::pair<Monomial, int64_t>> terms(polynomial.begin(), polynomial.end());
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
    return a.first.size() != b.first.size() ? a.first.size() > b.first.size() : a.first < b.first;
  });
  std::string out;
  for (const auto& [monomial, coefficient] : terms) {
    if (coefficient > 0 && !out.empty()) out += '+';
    if (monomial.empty()) {
      out += text(coefficient);
    } else {
      if (coefficient == -1) out += '-';
      if (coefficient != 1 && coefficient != -1) out += text(coefficient, '*');
      out += monomial_text(monomial);
    }
  }
  return out.empty() ? "0" : out;
}

Polynomial polynomial_of(int64_t raw) {
  if (raw > kBase) return raw == 0 ? Polynomial{} : Polynomial{{{}, raw}};
  const auto place = static_cast<size_t>(kBase - raw);
  if (place >= table().polynomials.size()) {  // an integer that was never a size
    fail(Code::kOverflow, "shape", "range", "the size ", raw, " is out of range; sizes are above ",
         kBase);
  }
  return *table().polynomials[place];
}

// The raw value of a dim: an integer if the polynomial is constant, else its place in the table.
int64_t intern(Polynomial polynomial) {
  std::erase_if(polynomial, [](const auto& term) { return term.second == 0; });
  if (polynomial.empty()) return 0;
  if (polynomial.size() == 1 && polynomial.begin()->first.empty())
    return polynomial.begin()->second;
  Table& t = table();
  const auto [it, is_new] = t.polynomial_index.try_emplace(polynomial_text(polynomial), 0);
  if (is_new) {
    it->second = kBase - static_cast<int64_t>(t.polynomials.size());
    t.polynomials.push_back(std::make_unique<const Polynomial>(std::move(polynomial)));
  }
  return it->second;
}

Polynomial sum(const Polynomial& a, const Polynomial& b, int64_t sign) {
  Polynomial out = a;
  for (const auto& [monomial, coefficient] : b) {
    int64_t& slot = out[monomial];
    slot = checked_add(slot, checked_mul(sign, coefficient));
  }
  return out;
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  for (const auto& [ma, ca] : a) {
    for (const auto& [mb, cb] : b) {
      Monomial merged = ma;
      merged.insert(merged.end(), mb.begin(), mb.end());
      std::sort(merged.begin(), merged.end());
      int64_t& slot = out[merged];
      slot = checked_add(slot, checked_mul(ca, cb));
    }
  }
  return out;
}

// a / b where b is one term that divides every term of a.
bool divide_exactly(const Polynomial& a, const Polynomial& b, Polynomial* quotient) {
  if (b.size() != 1) return false;
  const auto& [divisor, factor] = *b.begin();
  for (const auto& [monomial, coefficient] : a) {
    if (coefficient % factor != 0) return false;
    Monomial rest;
    if (!std::includes(monomial.begin(), monomial.end(), divisor.begin(), divisor.end()))
      return false;
    std::set_difference(monomial.begin(), monomial.end(), divisor.begin(), divisor.end(),
                        std::back_inserter(rest));
    (*quotient)[rest] = coefficient / factor;
  }
  return true;
}

int64_t floor_div_integers(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t raw(Dim dim) {
  static_assert(sizeof(Dim) == sizeof(int64_t));
  return std::bit_cast<int64_t>(dim);
}
Dim from_raw(int64_t value) { return std::bit_cast<Dim>(value); }

constinit thread_local DimOracle* oracle = nullptr;

}  // namespace

DimOracleIs::DimOracleIs(DimOracle* inner) : outer_(std::exchange(oracle, inner)) {}
DimOracleIs::~DimOracleIs() { oracle = outer_; }

Dim Dim::symbol(std::string_view name) {
  std::lock_guard lock(table().mutex);
  return from_raw(intern({{{atom({std::string(name)})}, 1}}));
}

int64_t Dim::symbolic_value() const {
  if (oracle != nullptr) return oracle->value_of(*this);
  fail(Code::kInvalid, "shape", "symbolic", "the size ", *this,
       " is not known here; only a graph that is run knows it");
}

Dim Dim::add_symbolic(Dim a, Dim b) {
  std::lock_guard lock(table().mutex);
  return from_raw(intern(sum(polynomial_of(raw(a)), polynomial_of(raw(b)), 1)));
}

Dim Dim::subtract_symbolic(Dim a, Dim b) {
  std::lock_guard lock(table().mutex);
  return from_raw(intern(sum(polynomial_of(raw(a)), polynomial_of(raw(b)), -1)));
}

Dim Dim::multiply_symbolic(Dim a, Dim b) {
  std::lock_guard lock(table().mutex);
  return from_raw(intern(product(polynomial_of(raw(a)), polynomial_of(raw(b)))));
}

Dim floor_div(Dim a, Dim b) {
  if (b == Dim(0))
    fail(Code::kInvalid, "shape", "division", a, " / 0 has no value; divide by a size above 0");
  if (a.is_known() && b.is_known()) {
    if (b.value() == -1) return checked_sub(0, a.value());
    return floor_div_integers(a.value(), b.value());
  }
  std::lock_guard lock(table().mutex);
  const Polynomial numerator = polynomial_of(raw(a));
  const Polynomial denominator = polynomial_of(raw(b));
  Polynomial quotient;
  if (divide_exactly(numerator, denominator, &quotient))
    return from_raw(intern(std::move(quotient)));
  const std::string name =
      text("floor((", polynomial_text(numerator), ")/",
           denominator.size() == 1 ? polynomial_text(denominator)
                                   : text('(', polynomial_text(denominator), ')'),
           ')');
  return from_raw(intern({{{atom({name, AtomKind::kFloorDiv, raw(a), raw(b)})}, 1}}));
}

Dim ceil_div(Dim a, Dim b) { return floor_div(a + b - Dim(1), b); }

Dim max(Dim a, Dim b) {
  if (a == b) return a;
  const Dim difference = a - b;
  if (difference.is_known()) return difference.value() > 0 ? a : b;
  // Of the two orders one stands for both.
  if (raw(a) > raw(b)) std::swap(a, b);
  std::lock_guard lock(table().mutex);
  const std::string name = text("max(", polynomial_text(polynomial_of(raw(a))), ",",
                                polynomial_text(polynomial_of(raw(b))), ")");
  return from_raw(intern({{{atom({name, AtomKind::kMax, raw(a), raw(b)})}, 1}}));
}

Dim min(Dim a, Dim b) { return a + b - max(a, b); }

Tri same(Dim a, Dim b) {
  if (a == b) return Tri::kYes;
  const Dim difference = a - b;
  if (difference.is_known()) return difference == Dim(0) ? Tri::kYes : Tri::kNo;
  // Symbols are at least 0: a sum of terms of one sign with a constant of that sign is never 0.
  std::lock_guard lock(table().mutex);
  const Polynomial polynomial = polynomial_of(raw(difference));
  const auto constant = polynomial.find({});
  if (constant == polynomial.end()) return Tri::kUnknown;
  const bool one_sign = std::all_of(polynomial.begin(), polynomial.end(), [&](const auto& term) {
    return (term.second > 0) == (constant->second > 0);
  });
  return one_sign ? Tri::kNo : Tri::kUnknown;
}

Tri decide_same(Dim a, Dim b) {
  const Tri known = same(a, b);
  return known == Tri::kUnknown && oracle != nullptr ? oracle->is_same(a, b) : known;
}

std::optional<int64_t> decided_value(Dim dim) {
  if (dim.is_known()) return dim.value();
  const bool can_tell = oracle != nullptr && oracle->hint(dim).has_value();
  return can_tell ? std::optional<int64_t>(oracle->value_of(dim)) : std::nullopt;
}

std::optional<int64_t> hinted_value(Dim dim) {
  if (dim.is_known()) return dim.value();
  return oracle != nullptr ? oracle->hint(dim) : std::nullopt;
}

Tri decide_less(Dim a, Dim b) {
  const Dim difference = a - b;
  if (difference.is_known()) return difference.value() < 0 ? Tri::kYes : Tri::kNo;
  return oracle != nullptr ? oracle->is_less(a, b) : Tri::kUnknown;
}

namespace {

// A copy of a polynomial with its atoms: what is done with it needs no lock.
struct Terms {
  struct Factor {
    Dim whole;  // the atom as a dim
    Atom atom;
  };
  struct Term {
    int64_t coefficient;
    std::vector<Factor> factors;
  };
  std::vector<Term> terms;

  explicit Terms(Dim dim) {
    std::lock_guard lock(table().mutex);
    for (const auto& [monomial, coefficient] : polynomial_of(raw(dim))) {
      Term term{coefficient, {}};
      for (const int32_t place : monomial) {
        term.factors.push_back(
            {from_raw(intern({{{place}, 1}})), table().atoms[static_cast<size_t>(place)]});
      }
      terms.push_back(std::move(term));
    }
  }
};

Dim substituted_atom(const Terms::Factor& factor, std::span<const DimBinding> bindings) {
  switch (factor.atom.kind) {
    case AtomKind::kSymbol:
      for (const DimBinding& binding : bindings) {
        if (binding.symbol == factor.whole) return binding.value;
      }
      return factor.whole;
    case AtomKind::kFloorDiv:
      return floor_div(substituted(from_raw(factor.atom.a), bindings),
                       substituted(from_raw(factor.atom.b), bindings));
    case AtomKind::kMax:
      return max(substituted(from_raw(factor.atom.a), bindings),
                 substituted(from_raw(factor.atom.b), bindings));
  }
  __builtin_unreachable();
}

// Reads sums of products of numbers, symbols, floor((a)/b) and max(a,b).
class DimParser {
 public:
  explicit DimParser(std::string_view text) : rest_(text) {}
  std::optional<Dim> whole() {
    const std::optional<Dim> out = sum();
    return rest_.empty() ? out : std::nullopt;
  }

 private:
  static constexpr int kDeepest = 100;

  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  std::optional<Dim> sum() {
    if (++depth_ > kDeepest) return {};
    Dim out = 0;
    for (bool first = true; first || !rest_.empty(); first = false) {
      const bool minus = take("-");
      if (!minus && !take("+") && !first) break;
      const std::optional<Dim> next = product();
      if (!next) return {};
      out = minus ? out - *next : out + *next;
    }
    --depth_;
    return out;
  }
  std::optional<Dim> product() {
    std::optional<Dim> out = factor();
    while (out && take("*")) {
      const std::optional<Dim> next = factor();
      if (!next) return {};
      out = *out * *next;
    }
    return out;
  }
  std::optional<Dim> factor() {
    std::optional<Dim> base = atom();
    if (!base || !take("^")) return base;
    const std::optional<int64_t> power = number();
    if (!power || *power < 1 || *power > 16) return {};
    Dim out = *base;
    for (int64_t i = 1; i < *power; ++i) out = out * *base;
    return out;
  }
  std::optional<Dim> atom() {
    if (take("(")) return closed(sum());
    if (take("floor((")) return pair(")/", &floor_div);
    if (take("max(")) return pair(",", &weft::max);
    if (rest_.empty()) return {};
    if (isdigit(static_cast<unsigned char>(rest_.front()))) {
      const std::optional<int64_t> value = number();
      return value ? std::optional<Dim>(*value) : std::nullopt;
    }
    size_t n = 0;
    while (n < rest_.size() && (isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '_' ||
                                rest_[n] == '?' || rest_[n] == '.')) {
      ++n;
    }
    if (n == 0) return {};
    const std::string_view name = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return Dim::symbol(name);
  }
  std::optional<Dim> pair(std::string_view between, Dim (*make)(Dim, Dim)) {
    const std::optional<Dim> a = sum();
    if (!a || !take(between)) return {};
    const std::optional<Dim> b = sum();
    if (!b || !take(")") || (make == &floor_div && *b == Dim(0))) return {};
    return make(*a, *b);
  }
  std::optional<Dim> closed(std::optional<Dim> inside) {
    return inside && take(")") ? inside : std::nullopt;
  }
  std::optional<int64_t> number() {
    int64_t out = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc()) return {};
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return out;
  }

  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

Dim substituted(Dim dim, std::span<const DimBinding> bindings) {
  if (dim.is_known()) return dim;
  Dim out = 0;
  for (const Terms::Term& term : Terms(dim).terms) {
    Dim product = term.coefficient;
    for (const Terms::Factor& factor : term.factors) {
      product = product * substituted_atom(factor, bindings);
    }
    out = out + product;
  }
  return out;
}

void append_symbols(std::vector<Dim>& out, Dim dim) {
  if (dim.is_known()) return;
  for (const Terms::Term& term : Terms(dim).terms) {
    for (const Terms::Factor& factor : term.factors) {
      if (factor.atom.kind != AtomKind::kSymbol) {
        append_symbols(out, from_raw(factor.atom.a));
        append_symbols(out, from_raw(factor.atom.b));
      } else if (std::find(out.begin(), out.end(), factor.whole) == out.end()) {
        out.push_back(factor.whole);
      }
    }
  }
}

std::optional<Dim> parse_dim(std::string_view text) { return DimParser(text).whole(); }

std::string to_string(Dim dim) {
  if (dim.is_known()) return text(dim.value());
  std::lock_guard lock(table().mutex);
  return polynomial_text(polynomial_of(raw(dim)));
}

void append_text(std::string& out, Dim dim) { out += to_string(dim); }

}  // namespace weft
