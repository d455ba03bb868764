// Counts in the unit that suits them, for people: 1.23 MB.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace weft {

struct SpokenUnit {
  int64_t size;
  const char* word;
};

// Of units from the greatest on; those of size 1 are counted out, others have three digits. What
// reaches none is nothing.
std::string spoken(int64_t count, std::span<const SpokenUnit> units);
// In B, KB, MB or GB; also "0 B".
std::string spoken_bytes(int64_t count);

}  // namespace weft
