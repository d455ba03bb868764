// Reductions, row kernels and scans: from attributes to the drivers of kernels/.
#pragma once

#include "weft/op/op.h"

namespace weft {

// `axis` of the attributes: an axis, several, or none for all.
Tensors run_reduction(const OpDef& op, const Tensor& x, const void* attrs, const Type& out);
// Along `axis`, the last if there is no such attribute.
Tensors run_rows(const OpDef& op, TensorSpan in, const void* attrs, TypeSpan out);
// With sums over the rows, but for the first axes: as many as the attribute `keep` says.
Tensors run_row_totals(const OpDef& op, TensorSpan in, const void* attrs, TypeSpan out);
Tensors run_scan(const OpDef& op, const Tensor& x, const void* attrs, const Type& out);

}  // namespace weft
