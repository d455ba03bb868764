// nan_replaced_each: a number in the place of NaN, and the others brought between two ends.
#pragma once

#include "weft/op/op.h"

namespace weft {

extern const OpDef kNanReplaced;
// What is not NaN is brought between -end and end.
Tensor nan_replaced_each(const Tensor& x, const Tensor& value, const Tensor& end,
                         Where where = Where::here());

}  // namespace weft
