// What the rules of all ops with functions have in common.
#pragma once

#include "weft/op/batch.h"
#include "weft/op/grad.h"
#include "weft/trace/derived.h"

namespace weft {

Types types_of(TensorSpan tensors);

// Inputs that can have a cotangent and whose is asked for, from `first` on.
Flags wanted_flags(const GradCtx& cx, size_t first = 0);

// The cotangents of those results that have any, zeros for those that are zero.
Tensors filled_cotangents(const GradCtx& cx, TensorSpan cotangents);

// One cotangent per input from the short list of those that are wanted.
Tensors spread(TensorSpan values, const Flags& flags, size_t first = 0);

// The tangents that are there, and which those are.
Flags active_flags(TensorSpan tangents, size_t first = 0);
Tensors defined_only(TensorSpan tangents, size_t first = 0);

// The results of branches, which are of the same types; raises [op.results].
Types branch_types(const FunctionsAttr& branches, const InferCtx& cx, TypeSpan operands);
// Raises unless the condition gives one bool and the body values of the types it is given.
void require_loop(const FunctionAttr& cond, const FunctionAttr& body, size_t carries,
                  const InferCtx& cx, TypeSpan in);

}  // namespace weft
