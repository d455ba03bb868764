// Numbers as text in pictures.
#pragma once

#include <cstdio>
#include <string>

namespace weft::train {

// 0.50 with two digits behind the point.
inline std::string fixed(double x, int digits) {
  char out[400];
  std::snprintf(out, sizeof out, "%.*f", digits, x);
  return out;
}
// 0.5, 1e-07: at most so many digits.
inline std::string general(double x, int digits = 6) {
  char out[40];
  std::snprintf(out, sizeof out, "%.*g", digits, x);
  return out;
}

}  // namespace weft::train
