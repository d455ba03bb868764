// Updates of many tensors in one pass.
#pragma once

#include "weft/op/op.h"

namespace weft {

// Nobody else holds this value or its memory, so it may be written; what was kept of it is dropped.
bool may_write(const Concrete& node);

// The input of an op of KernelKind::kUpdate that output `k` is the new value of, if its lists are
// of `count` tensors: the list of gradients comes after the first one, and has no new values.
size_t updated_input(const OpDef& op, size_t count, size_t k);

// An op of KernelKind::kUpdate that keeps its inputs.
void run_update(const OpDef& op, TensorSpan in, TensorSpan out);

}  // namespace weft
