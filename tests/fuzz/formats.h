// The file formats whose readers are fed what makes no sense.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/bytes.h"

namespace weft::fuzz {

struct Format {
  std::string_view name;
  std::vector<std::string> (*samples)();           // files that read
  void (*read)(std::span<const std::byte> bytes);  // raises an Error for those that do not
  void (*repair)(std::string& bytes);              // lengths and checksums that fit again, or null
  size_t most_per_byte;                            // of memory, beside what is always allowed
  uint64_t count = 20000;                          // files of a run
};
std::span<const Format> tensor_formats();  // of tensors and checkpoints
std::span<const Format> data_formats();
const Format* find_format(std::string_view name);  // null: there is none

}  // namespace weft::fuzz
