// nanmedian: its documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// Over axes, or all elements.
Tensor nanmedian(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
                 Where where = Where::here());

extern const CompositeDef kNanmedian;

}  // namespace weft
