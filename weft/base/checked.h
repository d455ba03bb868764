// Checked arithmetic: every size computed from input goes through these and raises instead of
// wrapping.
#pragma once

#include <cstdint>

#include "weft/base/error.h"

namespace weft {

[[noreturn]] void fail_overflow(int64_t a, char sign, int64_t b);

inline int64_t checked_add(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_add_overflow(a, b, &out)) [[unlikely]]
    fail_overflow(a, '+', b);
  return out;
}

inline int64_t checked_sub(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_sub_overflow(a, b, &out)) [[unlikely]]
    fail_overflow(a, '-', b);
  return out;
}

inline int64_t checked_mul(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_mul_overflow(a, b, &out)) [[unlikely]]
    fail_overflow(a, '*', b);
  return out;
}

}  // namespace weft
