// lerp: its documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

Tensor lerp(const Tensor& a, const Tensor& b, const Tensor& weight, Where where = Where::here());

extern const OpDef kLerp;

}  // namespace weft
