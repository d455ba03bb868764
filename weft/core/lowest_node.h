// The node under all tracers of a tensor.
#pragma once

#include "weft/core/node.h"

namespace weft {

// The value in memory (a Concrete) below a tensor's tracers; or the lowest tracer, if it has no
// value: of vmap, of a graph, of an input of a model. `node` is not null.
const TensorNode* lowest_node(const TensorNode* node);

}  // namespace weft
