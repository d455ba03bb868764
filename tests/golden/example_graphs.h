// Graphs whose texts are kept.
#pragma once

#include <string>
#include <vector>

namespace weft::golden {

struct Example {
  std::string name, text;
};
std::vector<Example> example_graphs();

}  // namespace weft::golden
