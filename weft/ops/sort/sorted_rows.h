// SortedRows: what median and quantile share.
#pragma once

#include "weft/ops/reduce/reduce.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {

// Elements sorted along one last axis, which the reduced axes are joined into.
struct SortedRows {
  Tensor rows;
  Shape kept;  // the shape of a result
  int64_t n;

  // Raises [op.empty]; sizes that are reduced must be known.
  SortedRows(const InferCtx& cx, const Tensor& x, const ReduceAttrs& at);
  // The elements at one place of each row.
  Tensor at(int64_t place) const;
};

}  // namespace weft
