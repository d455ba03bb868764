// Donor: a caller that lets a run write new values of Variables in the memory of the old ones.
#pragma once

#include <vector>

#include "weft/op/variable.h"

namespace weft {

// Runs with one have the turns of what they write (writing.h).
struct Donor {
  Tensors* arguments = nullptr;  // of the run: it lets go of those whose memory it writes
  std::span<const Variable> variables = {};  // that arguments were read from, by parameter
  // By parameter: set for Variables that have their new values when the run ends.
  std::vector<bool>* is_stored = nullptr;
};

}  // namespace weft
