// What pictures as SVG are written with.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

namespace weft {

// Tenths of a pixel are enough.
inline double svg_number(double x) { return std::round(x * 10) / 10; }

// Text between tags and in attributes in single quotes.
inline std::string svg_text(std::string_view label) {
  std::string out;
  for (const char c : label) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace weft
