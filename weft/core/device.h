// Device: where a tensor's memory is. Today there is one: the CPU.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

struct Device {
  enum class Kind : uint8_t { kCpu };
  Kind kind = Kind::kCpu;
  uint8_t index = 0;

  friend bool operator==(Device, Device) = default;
};

inline void append_text(std::string& out, Device) { out += "cpu"; }

}  // namespace weft
