// Reductions by segment: rows of data combined where their ids are equal, in the order of the rows.
#pragma once

#include "weft/core/native.h"

namespace weft::kernels {

// out[b, s, r] = data[b, i, r] combined over the i with ids[b, i] == s, in ascending order of i;
// the identity where there are none. Contiguous; ids are i32 or i64. Returns the position of the
// first id that is out of range, with nothing done, or -1. f16 and bf16 are summed and multiplied
// in f32 and rounded once.
int64_t segment(const Tensor& out, const Tensor& data, const Tensor& ids, SegmentBy by);

}  // namespace weft::kernels
