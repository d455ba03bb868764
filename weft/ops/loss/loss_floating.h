// The dtype that losses are computed in.
#pragma once

#include "weft/core/tensor.h"

namespace weft {

// Converts an input of a loss to a floating dtype of at least 32 bits, which is also the dtype of
// the loss: mixed precision lowers the precision of models, never of losses.
Tensor loss_floating(std::string_view op, const Tensor& x);

}  // namespace weft
