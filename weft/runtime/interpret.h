// The simple way to run a function: node after node, each value a tensor of its own.
//
// Observers see every op this way; plans use its parts where sizes are found while running.
#pragma once

#include "weft/ir/function.h"

namespace weft {

Tensors interpret(const ir::Function& function, TensorSpan arguments);

// One node on plain values, its attributes with sizes filled in.
Tensors computed(const ir::Node& node, TensorSpan in, std::span<const DimBinding> bindings);

}  // namespace weft
