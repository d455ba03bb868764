// round: its documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// To `decimals` places behind the point; negative ones are before it.
Tensor round_to(const Tensor& x, int64_t decimals, Where where = Where::here());

extern const OpDef kRoundPlaces;
extern const CompositeDef kRoundTo;

}  // namespace weft
