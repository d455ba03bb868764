// Batches of rows in a given order: what a fit of tensors in memory passes over.
#pragma once

#include "weft/data/dataset.h"
#include "weft/data/rows.h"

namespace weft::data {

// Tuples of rows[order[k]], `batch_size` of them in each, from batch `first` on; the last may be
// shorter. A thread gathers them ahead, where that takes longer than to hand them over. The tensors
// have whole rows (`has_whole_rows`); the order is int64, of numbers in range.
Dataset row_batches(std::vector<Tensor> rows, const Tensor& order, int64_t batch_size,
                    int64_t first = 0);

}  // namespace weft::data
