// What native kernels do with the outputs that their callers allocate.
#pragma once

#include "weft/op/op.h"

namespace weft {

// Memory for a result that is computed in `dtype`: the output itself if that is its dtype.
Tensor output_in(DType dtype, const Tensor& out);
// Every element of `out` becomes `value`.
void fill(const Tensor& out, double value);

// These are defined by eager/:

// Makes `out` hold `value`, rounded to its dtype. Nothing is left to do if `value` is `out`.
void store(const Tensor& out, const Tensor& value);
// Computes an op on concrete, prepared inputs into `out`, contiguous tensors of its output types.
void eager_compute_into(const OpDef& op, TensorSpan in, const void* attrs, TensorSpan out);

}  // namespace weft
