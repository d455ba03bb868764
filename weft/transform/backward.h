// backward: the gradient of a value with respect to the Variables it was computed from.
#pragma once

#include <span>

#include "weft/op/variable.h"

namespace weft {

struct BackwardOptions {
  Tensor gradient = {};                   // the cotangent to start with; 1 for a scalar
  bool retain_graph = false;              // keep the records, for a second backward
  bool create_graph = false;              // record what backward does; implies retain_graph
  std::span<const Variable> inputs = {};  // only these; all trainable ones if empty
};

// Adds to the `grad()` of every trainable Variable that led to `loss`.
void backward(const Tensor& loss, const BackwardOptions& options = {}, Where where = Where::here());

}  // namespace weft
