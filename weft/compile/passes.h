// The passes: each takes a function and gives one that computes the same bits.
//
//   const Shared<const ir::Function> better = compile::optimize(f, {.dump = "ir"});
#pragma once

#include <string>

#include "weft/ir/function.h"

namespace weft::compile {

using FunctionPtr = Shared<const ir::Function>;
using Pass = FunctionPtr (*)(const ir::Function& function);

// Leaves out what nobody reads and what has no effect.
FunctionPtr dead_code(const ir::Function& function);
// Computes what is written twice once. Effects are left alone.
FunctionPtr common_subexpressions(const ir::Function& function);
// Computes what depends on constants alone, unless it is large.
FunctionPtr fold_constants(const ir::Function& function);
// Rewrites by the table of simplify.h.
FunctionPtr simplify(const ir::Function& function);
// Puts the ops of called functions in the places of their calls.
FunctionPtr inline_calls(const ir::Function& function);
// Moves reshapes and transposes behind elementwise ops, where they meet and cancel.
FunctionPtr sink_reshapes(const ir::Function& function);
// Turns transposes of products into products of transposes.
FunctionPtr transpose_products(const ir::Function& function);

struct NamedPass {
  std::string_view name;
  Pass run;
};
// In the order in which `optimize` runs them.
std::span<const NamedPass> passes();

struct OptimizeOptions {
  std::string dump = "";  // a folder for the IR before the first pass and after every one
  bool verifies = false;  // the IR after every pass; WEFT_VERIFY=1 asks for it in all of a program
};
FunctionPtr optimize(const ir::Function& function, const OptimizeOptions& options = {});

// Does the node do anything but give its outputs, itself or in a function that it runs? Reading a
// Variable is nothing that others see.
bool has_effect(const ir::Node& node);
// The same question, with reads: may it neither be merged nor moved?
bool is_pure(const ir::Node& node);

}  // namespace weft::compile
