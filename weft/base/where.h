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

inline std::string to_string(Where where) {
  return where.known() ? std::string(where.file) + ":" + std::to_string(where.line)
                       : "unknown line";
}

}  // namespace weft
