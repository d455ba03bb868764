// Numbers with their thousands set apart.
#pragma once

#include <algorithm>
#include <string>

namespace weft {

// 12,345 and -1,234.5, from the text of a number.
inline std::string grouped(std::string number) {
  const size_t first = number.starts_with('-') ? 1 : 0;
  const size_t point = std::min(number.find_first_not_of("0123456789", first), number.size());
  for (size_t at = point; at > first + 3;) number.insert(at -= 3, ",");
  return number;
}

}  // namespace weft
