// Donor: a caller that lets a run write new values of Variables in the memory of the old ones.
#pragma once

#include "weft/op/variable.h"

namespace weft {

// Runs with one have the turns of what they write (writing.h).
struct Donor {
  Tensors* arguments = nullptr;  // of the run: it lets go of those whose memory it writes
  std::span<const Variable> variables = {};  // that arguments were read from, by parameter
};

}  // namespace weft
