// The user's names for sizes: symbols take them, in graphs that are being written.
#include <algorithm>

#include "weft/trace/staging.h"

namespace weft {
namespace {

bool is_symbol(Dim dim) {
  std::vector<Dim> symbols;
  append_symbols(symbols, dim);
  return symbols.size() == 1 && symbols[0] == dim;
}

// Names that traces make up: n, m, n8, s0.
bool is_of_a_trace(std::string_view name) {
  const bool is_letter = std::string_view("nmkpqrst").find(name[0]) != std::string_view::npos;
  return is_letter &&
         std::ranges::all_of(name.substr(1), [](char c) { return '0' <= c && c <= '9'; });
}

}  // namespace

bool Staging::has_size(Dim symbol) const {
  const bool is_here = std::ranges::any_of(graph_.values(), [&](const ir::Value& value) {
    std::vector<Dim> symbols;
    for (const Dim dim : value.type.shape) append_symbols(symbols, dim);
    return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
  });
  return is_here || (outer_ != nullptr && outer_->has_size(symbol));
}

Dim Staging::renamed(Dim dim) const {
  if (dim.is_known()) return dim;
  const std::vector<DimBinding>& renames = outermost().renames_;
  return renames.empty() ? dim : substituted(dim, renames);
}

Type Staging::renamed(Type type) const {
  for (Dim& dim : type.shape) dim = renamed(dim);
  return type;
}

// In this graph and in those around it; tensors that were made before are seen by the new name.
void Staging::rename(Dim symbol, Dim name) {
  const DimBinding change{symbol, name};
  const std::span<const DimBinding> one(&change, 1);
  if (outer_ != nullptr) outer_->rename(symbol, name);
  const auto lock = still();
  graph_.substitute(one);
  renamings_.fetch_add(1, std::memory_order_release);
  if (outer_ != nullptr) return;
  for (DimBinding& hint : hints_) hint.symbol = substituted(hint.symbol, one);
  std::erase_if(hints_, [](const DimBinding& hint) { return hint.symbol.is_known(); });
  for (DimBinding& older : renames_) older.value = substituted(older.value, one);
  renames_.push_back(change);
  for (ir::Assumption& assumption : assumptions_) {
    assumption.a = substituted(assumption.a, one);
    assumption.b = substituted(assumption.b, one);
  }
  for (auto& [called, size] : names_) size = substituted(size, one);
}

// Nobody has called this symbol anything: it may be called as the user does. ('?': an op finds it.)
bool Staging::is_nameless(Dim dim) const {
  if (outer_ != nullptr) return outer_->is_nameless(dim);
  if (dim.is_known() || !is_symbol(dim)) return false;
  const std::string name = to_string(dim);
  const bool is_made_up =
      kind_ == Kind::kGraph ? name.find('.') != std::string::npos : is_of_a_trace(name);
  return is_made_up && name[0] != '?' &&
         std::ranges::none_of(names_, [&](const auto& one) { return one.second == dim; });
}

Dim Staging::size_named(std::string_view name, Dim given) {
  std::map<std::string, Dim, std::less<>>& names = outermost().names_;
  if (const auto found = names.find(name); found != names.end()) return found->second;
  const Dim size = renamed(given);
  // A symbol that a trace made up, or that tensors had before, means something else already.
  const auto is_taken = [&](Dim symbol) {
    const bool was_renamed = std::ranges::any_of(
        outermost().renames_, [&](const DimBinding& one) { return one.symbol == symbol; });
    return was_renamed || (!(symbol == size) && is_nameless(symbol) && has_size(symbol));
  };
  std::string spelled(name);
  while (is_taken(Dim::symbol(spelled))) spelled += '_';
  const Dim symbol = Dim::symbol(spelled);
  const bool takes_name = is_nameless(size) && !has_size(symbol);
  const Dim out = takes_name || has_size(symbol) ? symbol : size;
  names[std::string(name)] = out;
  if (takes_name) rename(size, symbol);
  return out;
}

bool Staging::is_size(Dim given, Dim wanted, Where where) {
  const Dim size = renamed(given);
  const bool may_differ = hint(size) && hint(wanted) && *hint(size) != *hint(wanted);
  if (!may_differ && (wanted.is_known() || is_symbol(wanted)) && is_nameless(size)) {
    if (!(size == wanted)) rename(size, wanted);
    return true;
  }
  const DimOracleIs oracle(this);
  const LineIs here(outermost().now_, line_for_user(where));
  return decide_same(size, wanted) != Tri::kNo;
}

}  // namespace weft
