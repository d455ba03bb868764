// Where: the user's line an op was called from. Public C++ functions end with `Where where =
// Where::here()`.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>

namespace weft {

struct Where {
  const char* file = nullptr;
  uint32_t line = 0;

  static Where here(std::source_location at = std::source_location::current()) {
    return {at.file_name(), at.line()};
  }
  bool known() const { return file != nullptr; }
};

// A line of another language: `file` is then what that language needs to find it, and this bit of
// `line` is set. It is resolved only when it is printed.
inline constexpr uint32_t kForeignLine = 1u << 31;
using ResolveLine = std::string (*)(Where);
void set_foreign_lines(ResolveLine resolve);

std::string to_string(Where where);  // "file.cc:12"

}  // namespace weft
