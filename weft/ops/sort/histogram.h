// histogram: its documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// How many elements are in each bin, and the edges of the bins.
struct Histogram {
  Tensor counts, edges;
};
// Of equal bins between the two numbers of `range`, or between the least and the greatest element.
Histogram histogram(const Tensor& x, int64_t bins = 10, const Tensor& range = {},
                    const Tensor& weights = {}, bool density = false, Where where = Where::here());
// Of the bins between ascending edges.
Histogram histogram(const Tensor& x, const Tensor& edges, const Tensor& weights = {},
                    bool density = false, Where where = Where::here());

extern const CompositeDef kHistogram;

}  // namespace weft
