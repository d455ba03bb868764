// Follows a tensor's tracers down to the value, or to the tracer that has none.
#include "weft/core/lowest_node.h"

namespace weft {

const TensorNode* lowest_node(const TensorNode* node) {
  while (node->kind == NodeKind::kTracer) {
    const Tracer* const tracer = static_cast<const Tracer*>(node);
    const TensorNode* const below = tracer->type->value(tracer);
    if (below == nullptr) break;
    node = below;
  }
  return node;
}

}  // namespace weft
