// The fused backward kernel of an op with partials, as an op of its own: "logaddexp.vjp".
#pragma once

#include "weft/op/op.h"

namespace weft {

// Inputs: the cotangent, then those of (inputs..., output) that partial_reads names, all of one
// shape and dtype. Outputs: the cotangent of each wanted input, of the same shape. Made on first
// use, kept for the process.
const OpDef& vjp_op(const OpDef& of, uint32_t wanted);

}  // namespace weft
