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
  bool has_flag = false;           // the last input is a flag without axes
};
std::vector<Sample> all();

void add_control(std::vector<Sample>& out);
void add_order(std::vector<Sample>& out);
void add_layers(std::vector<Sample>& out);

}  // namespace weft::graph_def_samples
