// How the result of an elementwise op lies in memory.
#pragma once

#include "weft/core/tensor.h"

namespace weft {

// Memory for a result of `type`. It lies as the first input of its shape does: what a convolution
// left channels-last stays so through the ops behind it, and transposed matrices stay transposed.
// Row-major if that input has gaps or overlaps, or if all inputs are broadcast.
Tensor empty_for(const Type& type, TensorSpan inputs);
// The input whose order of axes a result of this shape takes over; null: it is row-major.
const Tensor* lead_of_layout(ShapeView shape, TensorSpan inputs);

}  // namespace weft
