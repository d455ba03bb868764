// Reductions, row kernels and scans: from attributes to the drivers of kernels/.
#pragma once

#include "weft/op/op.h"

namespace weft {

// All write to contiguous outputs that the caller has allocated.

// `axis` of the attributes: an axis, several, or none for all.
void run_reduction(const OpDef& op, const Tensor& x, const void* attrs, const Tensor& out);
// Along `axis`, the last if there is no such attribute.
void run_rows(const OpDef& op, TensorSpan in, const void* attrs, TensorSpan out);
// With sums over the rows, but for the first axes: as many as the attribute `keep` says.
void run_row_totals(const OpDef& op, TensorSpan in, const void* attrs, TensorSpan out);
void run_scan(const OpDef& op, const Tensor& x, const void* attrs, const Tensor& out);

}  // namespace weft
