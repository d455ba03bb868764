// How many bytes the elements of tensors take. A broadcast view may have more of them than an
// int64 counts: then it is the greatest int64.
#pragma once

#include <cstdint>
#include <limits>

#include "weft/core/tensor.h"

namespace weft {

inline constexpr int64_t kTooManyBytes = std::numeric_limits<int64_t>::max();

inline int64_t byte_count(int64_t elements, DType dtype) {
  int64_t out = 0;
  return __builtin_mul_overflow(elements, size_of(dtype), &out) ? kTooManyBytes : out;
}
inline int64_t sum_of_bytes(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? kTooManyBytes : out;
}
inline int64_t byte_count(const Tensor& t) { return byte_count(t.numel(), t.dtype()); }

// The sum over all tensors that have elements in memory; others count as 0.
inline int64_t byte_count(TensorSpan tensors) {
  int64_t out = 0;
  for (const Tensor& t : tensors) {
    if (t.defined() && t.is_concrete()) out = sum_of_bytes(out, byte_count(t));
  }
  return out;
}

}  // namespace weft
