// Preparing inputs: their number and dtypes are checked, and those that go together are promoted.
#pragma once

#include "weft/op/registry.h"

namespace weft {

// The inputs as the op's rules see them: the same handles where nothing had to be converted.
Tensors prepare_inputs(const OpDef& op, TensorSpan in, Where where);

// The same on types, for inference without values.
Types prepare_types(const OpDef& op, TypeSpan in);

}  // namespace weft
