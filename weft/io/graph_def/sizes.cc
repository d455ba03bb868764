// Sizes that only a run knows: extents of values, and arithmetic on them.
#include <algorithm>
#include <charconv>

#include "weft/io/graph_def/writer.h"

namespace weft::io {
namespace {

// Writes a size as its text says, "2*n+1" or "floor((n+1)/2)": sums of products, as DimReader reads
// them.
class SizeWriter {
 public:
  SizeWriter(Writer& w, std::string_view suffix, std::string_view rest,
             FunctionRef<std::string(Dim)> extent)
      : w_(w), suffix_(suffix), rest_(rest), extent_(extent) {}

  std::string sum() {
    std::string out;
    while (true) {
      const bool is_minus = take("-");
      if (!is_minus && !take("+") && !out.empty()) return out;
      const std::string term = product();
      if (out.empty()) {
        out = is_minus ? node("Neg", {term}) : term;
      } else {
        out = node(is_minus ? "Sub" : "AddV2", {out, term});
      }
    }
  }

 private:
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  std::string node(std::string_view op, Names in) {
    return w_.add(text(suffix_, '/', op), op, std::move(in), {{"T", DataType::kInt32}});
  }

  std::string product() {
    std::string out = factor();
    while (take("*")) out = node("Mul", {out, factor()});
    return out;
  }
  std::string factor() {
    std::string out = atom();
    if (!take("^")) return out;
    const std::string base = out;
    for (int64_t power = number(); power > 1; --power) out = node("Mul", {out, base});
    return out;
  }
  std::string atom() {
    if (take("floor((")) {
      const std::string a = sum();
      take(")/");
      const bool in_parentheses = take("(");
      const std::string b = sum();
      if (in_parentheses) take(")");
      take(")");
      return node("FloorDiv", {a, b});
    }
    if (take("max(")) {
      const std::string a = sum();
      take(",");
      const std::string b = sum();
      take(")");
      return node("Maximum", {a, b});
    }
    if ('0' <= rest_.front() && rest_.front() <= '9') {
      return w_.int_scalar(text(suffix_, "/number"), number());
    }
    const size_t end = std::min(rest_.find_first_of("+-*/^,)"), rest_.size());
    const std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return extent_(Dim::symbol(name));
  }
  int64_t number() {
    int64_t out = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return out;
  }

  Writer& w_;
  const std::string_view suffix_;
  std::string_view rest_;
  const FunctionRef<std::string(Dim)> extent_;
};

}  // namespace

std::string Writer::size_of_value(std::string_view suffix, Dim dim) {
  for (ir::ValueId id = 0; id < graph_->values().size(); ++id) {
    if ((*values_)[id].empty()) continue;
    const Shape& other = graph_->value(id).type.shape;
    const auto found = std::find(other.begin(), other.end(), dim);
    if (found == other.end()) continue;
    const int64_t axis = found - other.begin(), next = axis + 1, one = 1;
    const std::string whole =
        add(text(suffix, "/Shape"), "Shape", {(*values_)[id]},
            {{"T", data_type(graph_->value(id).type.dtype)}, {"out_type", DataType::kInt32}});
    return add(
        suffix, "StridedSlice",
        {whole, ints(text(suffix, "/begin"), {&axis, 1}), ints(text(suffix, "/end"), {&next, 1}),
         ints(text(suffix, "/strides"), {&one, 1})},
        {{"T", DataType::kInt32}, {"Index", DataType::kInt32}, {"shrink_axis_mask", int64_t{1}}});
  }
  return "";
}

std::string Writer::size(std::string_view suffix, Dim dim) {
  if (dim.is_known()) return int_scalar(suffix, dim.value());
  if (const std::string whole = size_of_value(suffix, dim); !whole.empty()) return whole;
  const auto extent = [&](Dim symbol) {
    std::string out = size_of_value(text(suffix, '/', symbol), symbol);
    if (!out.empty()) return out;
    fail(Code::kInvalid, "graph_def", "size", "the size ", symbol, " in ", node_->name,
         " is known only when the graph runs, and no value of the graph has it");
  };
  const std::string written = to_string(dim);
  return SizeWriter(*this, suffix, written, extent).sum();
}

}  // namespace weft::io
