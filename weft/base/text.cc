// Number formatting for text(...).
#include "weft/base/text.h"

#include <charconv>
#include <cmath>

namespace weft {
namespace {

template <class T>
void append_number(std::string& out, T value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, result.ptr);
}

}  // namespace

void append_signed(std::string& out, int64_t piece) { append_number(out, piece); }
void append_unsigned(std::string& out, uint64_t piece) { append_number(out, piece); }

void append_text(std::string& out, double piece) {
  const size_t start = out.size();
  append_number(out, piece);
  // 1 as a double prints as 1.0, so that the reader sees which kind of number it is.
  if (std::isfinite(piece) && out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

}  // namespace weft
