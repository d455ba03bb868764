// Graphs that TensorFlow must run to our numbers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weft/core/tensor.h"

namespace weft::graph_def_samples {

struct Sample {
  std::string name;
  Tensors inputs;  // fed to placeholders x0, x1, ..
  std::function<Tensors(TensorSpan)> compute;
  bool batch_is_symbolic = false;  // the first axis of every input is a symbol
};
std::vector<Sample> all();

}  // namespace weft::graph_def_samples
