// SortedRows: what median, nanmedian and quantile share.
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

// (a + b) / 2, rounded once, also where the sum is too great for the dtype.
Tensor mean_of_two(const Tensor& a, const Tensor& b);

}  // namespace weft
