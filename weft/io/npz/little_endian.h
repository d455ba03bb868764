// Numbers in the order of bytes that zip archives have.
#pragma once

#include <concepts>
#include <cstring>
#include <string>
#include <string_view>

namespace weft::io {

template <std::unsigned_integral T>
T number_at(std::string_view bytes, size_t at) {
  T out;
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

template <std::unsigned_integral T>
void append_number(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace weft::io
