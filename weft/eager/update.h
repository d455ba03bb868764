// Updates of many tensors in one pass.
#pragma once

#include "weft/op/op.h"

namespace weft {

// Nobody else holds this value or its memory, so it may be written; what was kept of it is dropped.
bool may_write(const Concrete& node);

// The results of an op of KernelKind::kUpdate, in new memory.
Tensors run_update(const OpDef& op, TensorSpan in, TypeSpan out);

}  // namespace weft
