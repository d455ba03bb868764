// The verifier: is this a function that means something? Runs on what is read, and between passes.
#pragma once

#include "weft/ir/function.h"

namespace weft::ir {

// Raises [graph.verify] and names the node if an op does not take its inputs, gives other types
// than the graph says, reads what comes later, or if a symbol gets its value nowhere. An op's own
// law is raised as it is, with a note that names the node. The functions that it calls are looked
// at, too, each once.
void verify(const Function& function);

// All functions of a document, in which those that are called come first.
void verify_all(std::span<const Shared<const Function>> functions);

}  // namespace weft::ir
