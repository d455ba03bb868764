// The fused backward kernel of an op with partials, as an op of its own: "logaddexp.vjp".
#pragma once

#include "weft/base/function_ref.h"
#include "weft/op/op.h"

namespace weft {

// Inputs: the cotangent, then those of (inputs..., output) that partial_reads names, all of one
// shape and dtype. Outputs: the cotangent of each wanted input, of the same shape. Made on first
// use, kept for the process.
const OpDef& vjp_op(const OpDef& of, uint32_t wanted);

// The op of that name, "logaddexp.vjp3"; null if the name is not of this kind, or there is none.
const OpDef* vjp_op_named(std::string_view name);

void for_each_vjp_op(FunctionRef<void(const OpDef&)> f);  // of those made so far

// The outputs of an op of GradKind::kComposed by ordinary ops on tensors: what its derivatives are
// made of. That of a derived backward op follows from the partials, others have it written down
// (op/composed.h).
Tensors composed_formula(const OpDef& op, TensorSpan in, const void* attrs, Where where);

}  // namespace weft
