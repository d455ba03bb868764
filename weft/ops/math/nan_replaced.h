// nan_replaced_each: a number in the place of NaN.
#pragma once

#include "weft/op/op.h"

namespace weft {

extern const OpDef kNanReplaced;
Tensor nan_replaced_each(const Tensor& x, const Tensor& value, Where where = Where::here());

}  // namespace weft
