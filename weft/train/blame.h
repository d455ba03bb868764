// Errors of a step told where they begin: of the layer that took the examples of a batch for
// something else.
#pragma once

#include "weft/base/function_ref.h"
#include "weft/train/compiled.h"

namespace weft::train {

// Does something with a first batch that tells layers their sizes. Raises [fit.channels]: a
// convolution that takes the batch for one example would learn a wrong one.
void need_batches(nn::ModuleBase& module, const Batch& first, FunctionRef<void()> action);
// Does a step. What cannot be traced is computed once more, op by op and with all sizes known:
// what a layer says of its input comes before what the loss says of the output.
void told_of_layers(const Compiled& compiled, const Batch& batch, FunctionRef<void()> step);

}  // namespace weft::train
