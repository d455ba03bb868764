// How many elements a diagonal of a matrix has.
#pragma once

#include <algorithm>

#include "weft/op/staged_size.h"

namespace weft {

// It begins `offset` columns to the right, or rows down if that is negative, and may be outside.
inline Dim diagonal_length(Dim rows, Dim columns, int64_t offset) {
  const int64_t steps = std::clamp(offset, -INT64_MAX / 4, INT64_MAX / 4);  // what a Dim holds
  if (steps == 0) return lesser(rows, columns);
  const Dim length = steps < 0 ? lesser(rows + Dim(steps), columns) : lesser(rows, columns - steps);
  const Tri is_outside = decide_less(length, 0);
  return is_outside == Tri::kUnknown ? max(length, 0) : is_outside == Tri::kYes ? Dim(0) : length;
}

}  // namespace weft
