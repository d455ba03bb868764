// histogram: its documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// How many elements are in each of equal bins, and the edges of the bins.
struct Histogram {
  Tensor counts, edges;
};
Histogram histogram(const Tensor& x, int64_t bins = 10, Where where = Where::here());

extern const CompositeDef kHistogram;

}  // namespace weft
