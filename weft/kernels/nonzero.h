// nonzero: where a tensor of bools is true.
#pragma once

#include "weft/core/tensor.h"

namespace weft::kernels {

// `in` is contiguous. The coordinates of its true elements in row-major order, int64 [rank, count].
Tensor nonzero(const Tensor& in);

}  // namespace weft::kernels
