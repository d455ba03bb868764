// take, gather and their transposes: reading and adding at indices along one axis.
//
// Indices are i32 or i64; negative ones count from the end. One that is out of range raises
// `op: index 7 at position [1, 2] is out of range for axis 0 with size 5 [op.law]`, the one with
// the lowest position if there are several.
#pragma once

#include "weft/core/native.h"

namespace weft::kernels {

// `out` is contiguous in all of these.

// out = in[.., indices, ..]: the axis is replaced by the shape of indices.
void take(const Tensor& out, const Tensor& in, const Tensor& indices, int64_t axis, Blame blame);

// out[p] = in[p with p[axis] replaced by indices[p]]; out and indices have one shape, and in has at
// least its extents on the other axes.
void gather(const Tensor& out, const Tensor& in, const Tensor& indices, int64_t axis, Blame blame);

// The transposes: out is added to at the places that take and gather read. To one element updates
// are added in the order of their position; f16 and bf16 in f32, rounded once at the end.
void take_add(const Tensor& out, const Tensor& indices, const Tensor& updates, int64_t axis,
              Blame blame);
void scatter_add(const Tensor& out, const Tensor& indices, const Tensor& updates, int64_t axis,
                 Blame blame);

}  // namespace weft::kernels
