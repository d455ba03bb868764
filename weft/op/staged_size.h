// Sizes as tensors: x.shape[0] in a graph, where an op wants a number that decides a shape.
#pragma once

#include <optional>

#include "weft/core/tensor.h"

namespace weft {

// The size that a value of a graph stands for; nothing if it stands for none. A plain integer is
// itself.
std::optional<Dim> size_in(const Tensor& scalar);

// Graphs are above ops: they say here how their values are looked at.
void set_staged_size(std::optional<Dim> (*find)(const Tensor& value));

}  // namespace weft
