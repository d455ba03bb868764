// The formats of data files, and how each is read from bytes that may be anything.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::fuzz {

struct DataFormat {
  std::string_view name;
  std::vector<std::string> (*samples)();   // files that read
  void (*read)(const std::string& bytes);  // raises an Error for those that do not
  void (*repair)(std::string& bytes);      // checksums that fit again, or null
  size_t most_per_byte;                    // of memory, beside what is always allowed
};
std::span<const DataFormat> data_formats();

}  // namespace weft::fuzz
