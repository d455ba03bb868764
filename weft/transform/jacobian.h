// Whole matrices of derivatives, of functions over flat lists: jacrev, jacfwd and what tapes need.
#pragma once

#include "weft/transform/vjp.h"

namespace weft {

// Block (k, i), at k * in.size() + i, is d output k / d input i: [*output shape, *input shape].
// Row by row, in reverse mode; column by column, in forward mode.
// A block with a complex side is complex, and the same in both modes: D with d output = D d input
// for real inputs and holomorphic functions, d output = Re(D d input) for real outputs of complex
// inputs. Of other functions one number cannot say all: forward mode gives the derivative along the
// real axis, reverse mode that of the output's real part.
Tensors jacrev_flat(FlatFunction f, TensorSpan in, Where where);
Tensors jacfwd_flat(FlatFunction f, TensorSpan in, Where where);
// jacfwd of a gradient. Raises for complex inputs, along which a gradient is not holomorphic.
Tensors hessian_flat(FlatFunction gradient, TensorSpan in, Where where);

// The rows d output / d in, of what `pull` gives for every cotangent of `output` that is one 1
// among zeros: blocks [*output shape, *shape of what it gives].
Tensors rows_of(const Tensor& output, TensorSpan in, FlatFunction pull, Where where);
// The same if example j of the output depends on example j of what is asked for only:
// [examples, *output shape of one, *shape of what it gives for one].
Tensors batch_rows_of(const Tensor& output, TensorSpan in, FlatFunction pull, Where where);

}  // namespace weft
