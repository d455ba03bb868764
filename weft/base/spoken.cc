// The greatest unit that a count has one of.
#include "weft/base/spoken.h"

#include <cstdio>

#include "weft/base/text.h"

namespace weft {

std::string spoken(int64_t count, std::span<const SpokenUnit> units) {
  for (const SpokenUnit& unit : units) {
    if (count < unit.size) continue;
    if (unit.size == 1) return text(count, *unit.word == 0 ? "" : " ", unit.word);
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.3g ", static_cast<double>(count) / double(unit.size));
    return text(digits, unit.word);
  }
  return {};
}

std::string spoken_bytes(int64_t count) {
  static constexpr SpokenUnit kUnits[] = {{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}};
  return count < kUnits[2].size ? text(count, " B") : spoken(count, kUnits);
}

}  // namespace weft
