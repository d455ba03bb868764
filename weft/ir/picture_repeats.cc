// Folds equal scopes in a row, such as the layers of a network, into one: "layers x 12".
#include <algorithm>
#include <cctype>
#include <functional>
#include <unordered_map>

#include "weft/ir/picture_tree.h"

namespace weft::ir {
namespace {

constexpr size_t kLongestPeriod = 24;  // items that repeat together
constexpr size_t kFewestRuns = 4;      // of ops without a scope; scopes fold from 2 on

size_t combined(size_t a, size_t b) { return a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2)); }

// "layer#" of "layer12".
std::string without_digits(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_digit = isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit) out += c;
    if (is_digit && !out.ends_with('#')) out += '#';
  }
  while (out.ends_with("_#") || out.ends_with('#'))
    out.resize(out.size() - (out.ends_with("_#") ? 2 : 1));
  return out;
}

}  // namespace

// Hashes the contents of items: equal for scopes with the same ops, types and lines inside.
class PictureLikeness {
 public:
  PictureLikeness(const PictureTree& tree, const std::vector<std::vector<size_t>>& read_by)
      : tree_(tree), read_by_(read_by) {}

  size_t of(size_t item) const {
    const PictureTree::Item& one = tree_.item(item);
    const std::hash<std::string> hash;
    if (!one.is_scope) return combined(1, hash(one.likeness));
    const std::vector<size_t> leaves = tree_.leaves_of(item);
    std::unordered_map<size_t, size_t> place;
    for (size_t k = 0; k < leaves.size(); ++k) place[leaves[k]] = k;
    size_t out = combined(2, hash(without_digits(one.name)));
    for (const size_t leaf : leaves) {
      out = combined(out, hash(tree_.item(leaf).likeness));
      for (const size_t from : read_by_[leaf]) {
        const auto found = place.find(from);
        out = combined(out, found == place.end() ? SIZE_MAX : found->second);
      }
    }
    return out;
  }

 private:
  const PictureTree& tree_;
  const std::vector<std::vector<size_t>>& read_by_;
};

void PictureTree::fold_repeats() {
  std::vector<std::vector<size_t>> read_by(items_.size());
  for (const Edge& edge : edges_) read_by[edge.to].push_back(edge.from);
  // From the outside in, so that of equal scopes only the first one is searched.
  std::vector<size_t> open{0};
  while (!open.empty()) {
    const size_t scope = open.back();
    open.pop_back();
    if (items_[scope].is_scope) fold_repeats_in(scope, read_by);
    read_by.resize(items_.size());
    for (const size_t child : items_[scope].children) open.push_back(child);
  }
}

void PictureTree::fold_repeats_in(size_t scope, const std::vector<std::vector<size_t>>& read_by) {
  const PictureLikeness likeness(*this, read_by);
  std::vector<size_t> hashes;
  for (const size_t child : items_[scope].children) hashes.push_back(likeness.of(child));
  for (size_t first = 0; first < hashes.size(); ++first) {
    size_t best = 0, period = 0;  // items that the repetitions cover; items of one repetition
    for (size_t p = 1; p <= kLongestPeriod && first + 2 * p <= hashes.size(); ++p) {
      size_t runs = 1;
      const auto begin = hashes.begin() + static_cast<std::ptrdiff_t>(first);
      const auto step = static_cast<std::ptrdiff_t>(p);
      while (first + (runs + 1) * p <= hashes.size() &&
             std::equal(begin, begin + step, begin + static_cast<std::ptrdiff_t>(runs) * step)) {
        ++runs;
      }
      bool has_scope = false, has_inputs = false;
      for (size_t k = first; k < first + p; ++k) {
        const Item& item = items_[items_[scope].children[k]];
        has_scope |= item.is_scope;
        has_inputs |= item.kind == Picture::Kind::kInput || item.kind == Picture::Kind::kResult;
      }
      const bool is_enough = !has_inputs && runs >= (has_scope ? 2 : kFewestRuns);
      if (is_enough && p * runs > best) best = p * runs, period = p;
    }
    if (best == 0) continue;
    fold(scope, first, period, best / period);
    hashes.erase(hashes.begin() + static_cast<std::ptrdiff_t>(first + 1),
                 hashes.begin() + static_cast<std::ptrdiff_t>(first + best));
  }
}

void PictureTree::fold(size_t scope, size_t first, size_t period, size_t count) {
  std::vector<size_t>& children = items_[scope].children;
  const auto at = [](std::vector<size_t>& all, size_t k) {
    return all.begin() + static_cast<std::ptrdiff_t>(k);
  };
  // For each leaf: its repetition, and the corresponding leaf of the first repetition.
  std::unordered_map<size_t, std::pair<size_t, size_t>> run_and_first;
  for (size_t run = 0; run < count; ++run) {
    for (size_t k = 0; k < period; ++k) {
      const std::vector<size_t> kept = leaves_of(children[first + k]);
      const std::vector<size_t> leaves = leaves_of(children[first + run * period + k]);
      for (size_t i = 0; i < leaves.size(); ++i) {
        run_and_first[leaves[i]] = {run, kept[i]};
        items_[kept[i]].parameters.insert(items_[leaves[i]].parameters.begin(),
                                          items_[leaves[i]].parameters.end());
      }
    }
  }
  std::erase_if(edges_, [&](Edge& edge) {
    const auto from = run_and_first.find(edge.from), to = run_and_first.find(edge.to);
    const bool is_between = from != run_and_first.end() && to != run_and_first.end() &&
                            from->second.first != to->second.first;
    if (from != run_and_first.end()) edge.from = from->second.second;
    if (to != run_and_first.end()) edge.to = to->second.second;
    return is_between;
  });
  const std::vector<size_t> kept(at(children, first), at(children, first + period));
  children.erase(at(children, first + 1), at(children, first + period * count));
  if (period == 1 && items_[kept[0]].is_scope) {
    items_[kept[0]].repeats = count;
    return;
  }
  Item group;
  group.is_scope = true;
  group.kind = Picture::Kind::kScope;
  group.name = period == 1 ? items_[kept[0]].name
                           : weft::text(items_[kept[0]].name, " … ", items_[kept.back()].name);
  group.path = items_[scope].path;
  group.repeats = count;
  group.parent = scope;
  group.children = kept;
  const size_t added = add(std::move(group));
  for (const size_t child : kept) items_[child].parent = added;
  items_[scope].children[first] = added;
}

}  // namespace weft::ir
