// sum_of: adds terms of a derivative, of which each may be undefined, that is zero.
#pragma once

#include "weft/ops/math/operators.h"

namespace weft {

inline Tensor sum_of(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  return a + b;
}

}  // namespace weft
