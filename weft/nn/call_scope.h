// CallScope: a call of a module inside of another one has a scope of names in the graph or function
// that is being made, as the outer one holds it: "first/0/Matmul".
#pragma once

#include <memory>

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

}  // namespace detail
}  // namespace weft::nn
