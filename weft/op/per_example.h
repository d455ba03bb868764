// One example of a batch: its types, its inputs, and running a batch example by example, for ops
// and functions without a better rule.
#pragma once

#include "weft/base/function_ref.h"
#include "weft/op/batch.h"

namespace weft {

// The types of one example's inputs, from input `first` on.
Types example_types(const BatchCtx& cx, size_t first = 0);

// What one example sees of the inputs.
Tensors inputs_of_example(const BatchCtx& cx, int64_t example);

// `run` on the inputs of each example, the results stacked in front. `who` and `reason` are for the
// error of an empty batch, whose results have no shape.
Tensors per_example(const BatchCtx& cx, FunctionRef<Tensors(TensorSpan)> run, std::string_view who,
                    std::string_view reason);

}  // namespace weft
