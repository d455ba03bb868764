// What ops that read or add at indices share.
#pragma once

#include "weft/ops/shape/shape_ops.h"

namespace weft {

// Raises [op.index_dtype] for uint64, whose upper half no index can hold.
void require_index_dtype(const InferCtx& cx, DType dtype);

}  // namespace weft
