// What the derivatives of logarithms of gamma draws share.
#pragma once

namespace weft::random {

inline constexpr double kPrecise = 1e-16;
inline constexpr int kMostTerms = 20000;  // far more than alpha <= kLargeAlpha takes
// Above, the cube root of x / alpha is nearly normal.
inline constexpr double kLargeAlpha = 1e4;

}  // namespace weft::random
