// Turns the tree of a function into the scopes of its drawing: lines that cross a scope's border
// get ports there, and folded scopes get a description of their contents.
#include "weft/ir/picture.h"

#include <algorithm>
#include <queue>
#include <set>

#include "weft/base/grouped.h"
#include "weft/base/thread_pool.h"
#include "weft/ir/picture_tree.h"

namespace weft::ir {
namespace {

using End = Picture::End;
constexpr size_t kSavedWay = SIZE_MAX;  // all saved values share one port of a scope

// 1234567 as "1.2M".
std::string short_count(int64_t count) {
  if (count < 1000) return text(count);
  static constexpr std::string_view kUnits[] = {"k", "M", "G", "T"};
  size_t unit = 0;
  int64_t tenths = count / 100;
  while (tenths >= 10000 && unit + 1 < std::size(kUnits)) tenths /= 1000, ++unit;
  const std::string rest = tenths % 10 == 0 || tenths >= 1000 ? "" : text('.', tenths % 10);
  return text(tenths / 10, rest, kUnits[unit]);
}

std::string joined(const std::vector<std::string>& types) {
  if (types.size() > 2) return text(types[0], " and ", types.size() - 1, " more");
  return types.size() == 2 ? text(types[0], ", ", types[1]) : types.empty() ? "" : types[0];
}

class Assembler {
 public:
  Assembler(const PictureTree& tree, const DrawOptions& options) : tree_(tree), options_(options) {}

  Picture assemble() {
    index_.resize(tree_.items().size());
    scope_of_.assign(tree_.items().size(), Picture::kNoScope);
    add_scope(0, 0);
    for (const PictureTree::Edge& edge : tree_.edges()) {
      poll_interrupt();
      add_types(edge);
    }
    for (const PictureTree::Edge& edge : tree_.edges()) {
      poll_interrupt();
      connect(edge);
    }
    for (const auto& [item, around] : described_) describe(item, around);
    return std::move(out_);
  }

 private:
  size_t add_scope(size_t item, size_t depth) {
    const size_t s = out_.scopes.size();
    scope_of_[item] = s;
    out_.scopes.emplace_back();
    const PictureTree::Item& from = tree_.item(item);
    Picture::Scope scope;
    scope.title = title_of(from);
    scope.is_function = from.is_function;
    scope.depth = depth;
    scope.ops = tree_.count_ops(item);
    scope.is_leaf = from.path.starts_with(kGradientScope) || from.path == kUpdateScope;
    if (const DrawnModule* const module = module_of(from)) {
      scope.title += text(": ", module->type);
      scope.is_leaf |= module->is_leaf;
    }
    for (const size_t child : from.children) {
      index_[child] = scope.items.size();
      scope.items.push_back(item_of(child, depth));
      described_.emplace_back(child, s);
    }
    out_.scopes[s] = std::move(scope);
    return s;
  }

  Picture::Item item_of(size_t child, size_t depth) {
    const PictureTree::Item& from = tree_.item(child);
    Picture::Item out;
    out.kind = from.is_scope ? Picture::Kind::kScope : from.kind;
    out.title = title_of(from);
    out.lines = from.lines;
    out.chips = fewer(from.chips);
    out.tip = from.tip;
    if (from.is_scope) {
      out.inside = add_scope(child, depth + 1);
    } else if (from.calls_functions) {
      const bool is_one = from.children.size() == 1;
      out.inside = add_scope(is_one ? from.children[0] : child, depth + 1);
      out_.scopes[out.inside].is_function = true;
      if (is_one) {
        out_.scopes[out.inside].title = text(out.title, ": ", out_.scopes[out.inside].title);
      }
    }
    return out;
  }

  static std::string title_of(const PictureTree::Item& item) {
    std::string out = item.name;
    if (item.call > 1) out += text(" (call ", item.call, ')');
    if (item.repeats > 1) out += text(" × ", item.repeats);
    return out;
  }
  const DrawnModule* module_of(const PictureTree::Item& item) const {
    if (!item.is_scope || item.path.empty()) return nullptr;
    const auto found = options_.modules.find(item.path);
    return found == options_.modules.end() ? nullptr : &found->second;
  }

  // A box has room for a few chips of a kind; more are replaced by their number.
  static std::vector<Picture::Chip> fewer(const std::vector<Picture::Chip>& chips) {
    constexpr size_t kMost = 5;
    std::vector<Picture::Chip> out;
    for (const auto kind : {Picture::Chip::Kind::kParameter, Picture::Chip::Kind::kConstant,
                            Picture::Chip::Kind::kWritten}) {
      size_t count = 0;
      for (const Picture::Chip& chip : chips) count += chip.kind == kind ? 1 : 0;
      size_t shown = 0;
      for (const Picture::Chip& chip : chips) {
        if (chip.kind != kind || count > kMost) continue;
        out.push_back(chip);
        ++shown;
      }
      const std::string_view what = kind == Picture::Chip::Kind::kParameter  ? " parameters"
                                    : kind == Picture::Chip::Kind::kConstant ? " constants"
                                                                             : " Variables";
      if (shown < count) out.push_back({kind, text(shown == 0 ? "" : "and ", count - shown, what)});
    }
    return out;
  }

  // The scopes around a leaf from the outermost one below its function inwards, and the leaf.
  std::vector<size_t> way_to(size_t leaf) const {
    std::vector<size_t> out;
    for (size_t i = leaf; !tree_.item(i).is_function && i != 0; i = tree_.item(i).parent) {
      out.push_back(i);
    }
    std::ranges::reverse(out);
    return out;
  }

  // Collects the types of the values that enter and leave scopes.
  void add_types(const PictureTree::Edge& edge) {
    if (edge.line != Picture::Line::kValue) return;
    const std::vector<size_t> from = way_to(edge.from), to = way_to(edge.to);
    size_t k = 0;
    while (k + 1 < from.size() && k + 1 < to.size() && from[k] == to[k]) ++k;
    const auto note = [&](std::vector<std::string>& types) {
      if (std::ranges::find(types, edge.type) == types.end()) types.push_back(edge.type);
    };
    for (size_t i = k; i + 1 < from.size(); ++i) note(gives_[from[i]]);
    for (size_t i = k; i + 1 < to.size(); ++i) note(takes_[to[i]]);
  }

  size_t way(bool is_in, size_t scope, const End& end) {
    auto& ways = is_in ? ways_in_ : ways_out_;
    size_t& count = is_in ? out_.scopes[scope].ways_in : out_.scopes[scope].ways_out;
    const auto [it, is_new] = ways.try_emplace({scope, end}, count);
    if (is_new) ++count;
    return it->second;
  }
  void add_edge(size_t scope, const End& from, const End& to, Picture::Line line) {
    if (drawn_.insert({scope, from, to, line}).second) {
      out_.scopes[scope].edges.push_back({from, to, line});
    }
  }

  void connect(const PictureTree::Edge& edge) {
    const std::vector<size_t> from = way_to(edge.from), to = way_to(edge.to);
    size_t k = 0;  // the first level at which the two paths differ
    while (k + 1 < from.size() && k + 1 < to.size() && from[k] == to[k]) ++k;
    const size_t around = scope_of_[tree_.item(from[k]).parent];
    if (around == Picture::kNoScope || from[k] == to[k]) return;
    if (edge.line != Picture::Line::kValue) {
      const End saved{End::Kind::kWayIn, kSavedWay, 0};
      const auto end = [&](size_t item, bool is_in) {
        const size_t inside = tree_.item(item).is_scope ? scope_of_[item] : Picture::kNoScope;
        const size_t port = inside == Picture::kNoScope ? 0 : way(is_in, inside, saved);
        return End{End::Kind::kItem, index_[item], port};
      };
      return add_edge(around, end(from[k], false), end(to[k], true), edge.line);
    }
    End at{End::Kind::kItem, index_[edge.from], 0};
    for (size_t i = from.size() - 1; i > k; --i) {
      const size_t scope = scope_of_[from[i - 1]];
      const size_t out = way(false, scope, at);
      add_edge(scope, at, {End::Kind::kWayOut, out, 0}, edge.line);
      at = {End::Kind::kItem, index_[from[i - 1]], out};
    }
    size_t scope = around;
    for (size_t i = k; i + 1 < to.size(); ++i) {
      const size_t in = way(true, scope_of_[to[i]], at);
      add_edge(scope, at, {End::Kind::kItem, index_[to[i]], in}, edge.line);
      at = {End::Kind::kWayIn, in, 0};
      scope = scope_of_[to[i]];
    }
    add_edge(scope, at, {End::Kind::kItem, index_[edge.to], 0}, edge.line);
  }

  // Adds the lines, chips and tip of a folded scope.
  void describe(size_t child, size_t around) {
    const PictureTree::Item& from = tree_.item(child);
    if (!from.is_scope) return;
    Picture::Item& item = out_.scopes[around].items[index_[child]];
    const std::vector<size_t> leaves = tree_.leaves_of(child);
    std::set<size_t> parameters;
    size_t written = 0;
    for (const size_t leaf : leaves) {
      parameters.insert(tree_.item(leaf).parameters.begin(), tree_.item(leaf).parameters.end());
      for (const Picture::Chip& chip : tree_.item(leaf).chips) {
        written += chip.kind == Picture::Chip::Kind::kWritten ? 1 : 0;
      }
    }
    int64_t numbers = 0;
    for (const size_t one : parameters) numbers += tree_.size_of_parameter(one);
    const DrawnModule* const module = module_of(from);
    const std::vector<std::string>&takes = takes_[child], &gives = gives_[child];
    if (module != nullptr) {
      item.lines.push_back(module->type);
      numbers = module->parameters * static_cast<int64_t>(from.repeats);
    }
    if (module != nullptr && !takes.empty()) item.lines.push_back(text("in   ", joined(takes)));
    if (!gives.empty()) item.lines.push_back(text(module != nullptr ? "out  " : "", joined(gives)));
    const size_t ops = tree_.count_ops(child);
    if (module == nullptr) {
      item.lines.push_back(ops == 1 ? tree_.item(leaves[0]).name : text(ops, " ops"));
    }
    if (numbers > 0) {
      item.chips.push_back({Picture::Chip::Kind::kParameter,
                            text(module != nullptr ? grouped(text(numbers)) : short_count(numbers),
                                 numbers == 1 ? " parameter" : " parameters")});
    }
    if (written > 0) {
      item.chips.push_back({Picture::Chip::Kind::kWritten,
                            text(written, written == 1 ? " Variable" : " Variables")});
    }
    item.tip = text(from.path.empty() ? from.name : from.path, '\n', ops, " ops\nin ",
                    joined(takes), "\nout ", joined(gives));
  }

  const PictureTree& tree_;
  const DrawOptions& options_;
  Picture out_;
  std::vector<size_t> index_;                         // of items of the tree, in their scopes
  std::vector<size_t> scope_of_;                      // of the drawing, by item of the tree
  std::vector<std::pair<size_t, size_t>> described_;  // items and the scopes around them
  std::map<size_t, std::vector<std::string>> takes_, gives_;
  std::map<std::pair<size_t, End>, size_t> ways_in_, ways_out_;
  std::set<std::tuple<size_t, End, End, Picture::Line>> drawn_;
};

}  // namespace

Picture picture_of(const Function& function, const DrawOptions& options) {
  const PictureTree tree(function, options);
  return Assembler(tree, options).assemble();
}

std::vector<bool> open_scopes(const Picture& picture, const DrawOptions& options) {
  std::vector<bool> out(picture.scopes.size(), false);
  out[0] = true;
  if (options.depth >= 0) {
    for (size_t s = 1; s < out.size(); ++s) {
      out[s] = picture.scopes[s].depth <= static_cast<size_t>(options.depth);
    }
    return out;
  }
  // Opens scopes with the most ops first, up to options.most_boxes boxes.
  size_t boxes = picture.scopes[0].items.size();
  std::priority_queue<std::tuple<size_t, size_t>> next;  // ops, and the scope counted from the end
  const auto add_scopes_in = [&](size_t s) {
    for (const Picture::Item& item : picture.scopes[s].items) {
      if (item.inside == Picture::kNoScope) continue;
      const Picture::Scope& inside = picture.scopes[item.inside];
      if (inside.is_leaf || inside.items.size() < 2) continue;
      next.push({inside.ops, picture.scopes.size() - item.inside});
    }
  };
  add_scopes_in(0);
  while (!next.empty()) {
    const size_t s = picture.scopes.size() - std::get<1>(next.top());
    next.pop();
    if (boxes + picture.scopes[s].items.size() > options.most_boxes) continue;
    boxes += picture.scopes[s].items.size();
    out[s] = true;
    add_scopes_in(s);
  }
  return out;
}

}  // namespace weft::ir
