// text(...): builds a string from pieces; any type with an `append_text` overload takes part.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

inline void append_text(std::string& out, std::string_view piece) { out += piece; }
inline void append_text(std::string& out, const char* piece) { out += piece; }
inline void append_text(std::string& out, char piece) { out += piece; }
inline void append_text(std::string& out, bool piece) { out += piece ? "true" : "false"; }
void append_text(std::string& out, double piece);  // the shortest form that reads back equal

void append_signed(std::string& out, int64_t piece);
void append_unsigned(std::string& out, uint64_t piece);

template <std::integral T>
void append_text(std::string& out, T piece) {
  if constexpr (std::signed_integral<T>) {
    append_signed(out, piece);
  } else {
    append_unsigned(out, piece);
  }
}

// A range prints as [a, b, c].
template <class Range>
  requires(!std::convertible_to<const Range&, std::string_view>) && requires(const Range& r) {
    r.begin();
    r.end();
    r.size();
  }
void append_text(std::string& out, const Range& range) {
  out += '[';
  bool first = true;
  for (const auto& element : range) {
    if (!first) out += ", ";
    first = false;
    append_text(out, element);
  }
  out += ']';
}

template <class... Pieces>
std::string text(const Pieces&... pieces) {
  std::string out;
  (append_text(out, pieces), ...);
  return out;
}

}  // namespace weft
