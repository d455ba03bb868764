// What group_norm and instance_norm share.
#pragma once

#include "weft/op/infer.h"
#include "weft/ops/norm/norm.h"

namespace weft {

// x [batch, channels, space..] with `groups` groups of channels brought to mean 0 and variance 1,
// then scaled by in[1] and shifted by in[2], where they are defined; raises [op.channels].
Tensor normalized_groups(const InferCtx& cx, TensorSpan in, Dim groups, double eps);

}  // namespace weft
