// Derivatives and batches of a called function that know nothing of how it was called before.
#pragma once

#include "weft/control/ops.h"
#include "weft/op/batch.h"
#include "weft/op/grad.h"

namespace weft {

// The function runs again, and then its backward pass.
Tensors recomputing_vjp(const FunctionAttr& function, const GradCtx& cx, TensorSpan g);
Tensors called_jvp(const FunctionAttr& function, const GradCtx& cx, TensorSpan tangents);
// The function for the whole batch.
FunctionAttr called_batch(const FunctionAttr& function, const BatchCtx& cx);

}  // namespace weft
