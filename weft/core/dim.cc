// Symbolic dims: interned polynomials over symbols, floor quotients and maxima.
#include "weft/core/dim.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weft/base/mutex.h"

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
  Mutex mutex;
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

// Atoms by name: the same text in every process, whichever was seen first.
std::string monomial_text(const Monomial& monomial) {
  std::vector<std::string_view> names;
  for (const int32_t place : monomial) {
    names.push_back(table().atoms[static_cast<size_t>(place)].name);
  }
  std::sort(names.begin(), names.end());
  std::string out;
  for (size_t i = 0; i < names.size();) {
    size_t power = 1;
    while (i + power < names.size() && names[i + power] == names[i]) ++power;
    if (!out.empty()) out += '*';
    out += names[i];
    if (power > 1) out += text('^', power);
    i += power;
  }
  return out;
}

// Higher powers first, the constant last: 2*n+1.
std::string polynomial_text(const Polynomial& polynomial) {
  struct Term {
    size_t degree;
    std::string text;
    int64_t coefficient;
  };
  std::vector<Term> terms;
  for (const auto& [monomial, coefficient] : polynomial) {
    terms.push_back({monomial.size(), monomial_text(monomial), coefficient});
  }
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    return a.degree != b.degree ? a.degree > b.degree : a.text < b.text;
  });
  std::string out;
  for (const Term& term : terms) {
    if (term.coefficient > 0 && !out.empty()) out += '+';
    if (term.degree == 0) {
      out += text(term.coefficient);
    } else {
      if (term.coefficient == -1) out += '-';
      if (term.coefficient != 1 && term.coefficient != -1) out += text(term.coefficient, '*');
      out += term.text;
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

// The scopes of this thread, from the outermost. They may end in any order: those of graphs belong
// to objects of Python.
struct OpenScope {
  const DimOracleIs* scope;
  DimOracle* oracle;
};
thread_local std::vector<OpenScope> open_scopes;

}  // namespace

DimOracleIs::DimOracleIs(DimOracle* inner) : outer_(std::exchange(oracle, inner)) {
  open_scopes.push_back({this, inner});
}
DimOracleIs::~DimOracleIs() {
  static_cast<void>(outer_);  // it may have ended
  std::erase_if(open_scopes, [this](const OpenScope& one) { return one.scope == this; });
  oracle = open_scopes.empty() ? nullptr : open_scopes.back().oracle;
}

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
  std::string first = to_string(a), second = to_string(b);
  if (second < first) {  // of the two orders one stands for both
    std::swap(a, b);
    std::swap(first, second);
  }
  const std::string name = text("max(", first, ",", second, ")");
  std::lock_guard lock(table().mutex);
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

// A symbol and nothing else: most are, and need no copy of what they are made of.
bool is_one_symbol(Dim dim) {
  const Table& t = table();
  const auto place = static_cast<size_t>(kBase - raw(dim));
  std::lock_guard lock(table().mutex);
  if (place >= t.polynomials.size() || t.polynomials[place]->size() != 1) return false;
  const auto& [monomial, coefficient] = *t.polynomials[place]->begin();
  return coefficient == 1 && monomial.size() == 1 &&
         t.atoms[static_cast<size_t>(monomial[0])].kind == AtomKind::kSymbol;
}

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

}  // namespace

Dim substituted(Dim dim, std::span<const DimBinding> bindings) {
  if (dim.is_known()) return dim;
  for (const DimBinding& binding : bindings) {  // most are symbols, and need no arithmetic
    if (binding.symbol == dim) return binding.value;
  }
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
  if (is_one_symbol(dim)) {
    if (std::find(out.begin(), out.end(), dim) == out.end()) out.push_back(dim);
    return;
  }
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

std::string to_string(Dim dim) {
  if (dim.is_known()) return text(dim.value());
  std::lock_guard lock(table().mutex);
  return polynomial_text(polynomial_of(raw(dim)));
}

void append_text(std::string& out, Dim dim) { out += to_string(dim); }

}  // namespace weft
