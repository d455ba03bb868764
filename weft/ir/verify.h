// The verifier: is this a function that means something? Runs on what is read, and between passes.
#pragma once

#include "weft/ir/function.h"

namespace weft::ir {

// Raises [graph.verify] and names the node if an op does not take its inputs, gives other types
// than the graph says, reads what comes later, or if a symbol gets its value nowhere.
void verify(const Function& function);

}  // namespace weft::ir
