// Forward mode: values that carry a tangent.
#pragma once

#include "weft/transform/vjp.h"

namespace weft {

struct JvpResult {
  Tensors outputs;
  Tensors tangents;  // undefined: zero, without a zero tensor
};

// f and its derivative along `tangents` (one per input, undefined for zero) in one pass.
JvpResult jvp_flat(FlatFunction f, TensorSpan primals, TensorSpan tangents, Where where);

}  // namespace weft
