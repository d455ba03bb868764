// Sizes: how many steps cover one and the size they make; the line of the caches.
#pragma once

#include <cstdint>

namespace weft {

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }

inline constexpr int64_t kLineBytes = 64;  // of the caches

}  // namespace weft
