// Switches that are environment variables.
#pragma once

#include <cstdlib>
#include <string_view>

namespace weft {

// Is the variable set, and not to 0?
inline bool is_switched_on(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && std::string_view(value) != "0";
}

}  // namespace weft
