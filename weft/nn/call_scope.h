// CallScope: a call of a module inside of another one has a scope of names in the graph or function
// that is being made, as the outer one holds it: "first/0/Matmul".
#pragma once

#include <memory>

#include "weft/base/error.h"

namespace weft::nn {

class ModuleBase;

namespace detail {

class CallScope {
 public:
  explicit CallScope(const ModuleBase& module);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  struct Entered;
  std::unique_ptr<Entered> entered_;  // null: ops compute now, and nothing is named
};

// Notes where in the outermost module the error that is being handled was raised: "in the module
// 'blocks.2.attention.q_proj' (Linear)". Called with every module that the error leaves, from the
// innermost on: each that holds the one before it makes the path longer.
void note_path(const ModuleBase& module, Error& error);

}  // namespace detail
}  // namespace weft::nn
