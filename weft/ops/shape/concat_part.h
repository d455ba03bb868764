// concat.part: what one of the inputs of concat gave to the result.
#pragma once

#include "weft/op/op.h"

namespace weft {

// The part of `x` along `axis` from `begin`, of `size`: a view, where a run may find both out.
Tensor concat_part(const Tensor& x, int64_t axis, Dim begin, Dim size, Where where);

extern const OpDef kConcatPart;

}  // namespace weft
