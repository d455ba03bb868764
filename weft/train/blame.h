// Errors of a step told where they begin: of the layer that took the examples of a batch for
// something else.
#pragma once

#include "weft/base/function_ref.h"
#include "weft/train/compiled.h"

namespace weft::train {

// Calls a module whose layers wait for the sizes of a first batch. Raises [who.channels]: a
// convolution that takes the batch for one example would learn a wrong one.
void learn_sizes(nn::ModuleBase& module, FlatFunction call, const Batch& first,
                 std::string_view who);
// Does a step. What cannot be traced is computed once more, op by op and with all sizes known:
// what a layer says of its input comes before what the loss says of the output. Raises
// [who.channels].
void told_of_layers(nn::ModuleBase& module, FlatFunction call, const Batch& batch,
                    std::string_view who, FunctionRef<void()> step);
void told_of_layers(const Compiled& compiled, const Batch& batch, std::string_view who,
                    FunctionRef<void()> step);

}  // namespace weft::train
