// percentile and isin: their documentation is in their files.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// `q` between 0 and 100, of any shape, comes first in the result.
Tensor percentile(const Tensor& x, const Tensor& q, std::optional<Ints> axis = {},
                  bool keepdims = false, Where where = Where::here());
Tensor isin(const Tensor& x, const Tensor& values, bool invert = false,
            Where where = Where::here());

extern const CompositeDef kPercentile, kIsIn;

}  // namespace weft
