// blend: places of an axis as weighed sums of a few of its elements.
#pragma once

#include "weft/core/blend.h"

namespace weft::kernels {

// core/blend.h says what it means.
void blend(const Tensor& out, const Tensor& in, int64_t axis, const Taps& taps);

}  // namespace weft::kernels
