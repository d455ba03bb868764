// Formulas: an op as ordinary ops on tensors, which are staged and written in its place.
#pragma once

#include "weft/io/graph_def/writer.h"

namespace weft::io {

struct Formula {
  std::string_view op;  // ours, with its module
  Tensors (*compute)(const Writer& w, TensorSpan in);
};
std::span<const Formula> formulas();

}  // namespace weft::io
