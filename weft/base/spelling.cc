// Names by their distance: letters put in, left out, changed, or swapped with the next.
#include "weft/base/spelling.h"

#include <algorithm>
#include <vector>

#include "weft/base/text.h"

namespace weft {
namespace {

constexpr size_t kMostNames = 3;

char lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Damerau's distance (of adjacent swaps only), without regard to case.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool is_swap = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  if (name.size() < 3 || name.size() > 40) return {};
  size_t nearest = name.size() < 5 ? 1 : name.size() < 10 ? 2 : 3;  // the most that is a slip
  std::vector<std::string_view> found;
  for (const std::string_view candidate : known) {
    if (candidate == name) return {};  // it is there: something else went wrong
    const size_t longer = std::max(candidate.size(), name.size());
    if (candidate.size() < 2 || longer > std::min(candidate.size(), name.size()) + nearest)
      continue;
    const size_t away = distance(name, candidate);
    if (away > nearest) continue;
    if (away < nearest) found.clear();
    nearest = away;
    found.push_back(candidate);
  }
  if (found.empty()) return {};
  std::string list;
  for (size_t i = 0; i < std::min(found.size(), kMostNames); ++i) {
    list += text(i == 0 ? "'" : " or '", found[i], "'");
  }
  return text("did you mean ", list, "?");
}

}  // namespace weft
