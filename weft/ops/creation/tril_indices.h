// tril_indices and triu_indices: their documentation is in their file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// Rows and columns of the elements on and below (above) diagonal k of a matrix [n, m].
Tensors tril_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = {},
                     Where where = Where::here());
Tensors triu_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = {},
                     Where where = Where::here());

extern const CompositeDef kTrilIndices, kTriuIndices;

}  // namespace weft
