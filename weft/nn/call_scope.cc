// Scopes of calls.
#include "weft/nn/call_scope.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "weft/nn/module.h"
#include "weft/trace/name_scope.h"

namespace weft::nn::detail {
namespace {

thread_local std::vector<const ModuleBase*> called;  // from the outermost

// What the innermost module around that holds it calls it; empty if none does.
std::string name_of(const ModuleBase& module) {
  for (size_t i = called.size(); i-- > 0;) {
    for (const Found& one : walked(*called[i], /*need_all=*/false)) {
      if (one.module == &module && !one.name.empty()) return one.name;
    }
  }
  return {};
}

}  // namespace

struct CallScope::Entered {
  std::optional<NameScope> scope;

  explicit Entered(const ModuleBase& module) {
    std::string name = name_of(module);
    std::ranges::replace(name, '.', '/');
    if (!name.empty()) scope.emplace(name);
    called.push_back(&module);
  }
  ~Entered() { called.pop_back(); }
};

CallScope::CallScope(const ModuleBase& module) {
  if (!open_levels().empty() && innermost_staging() != nullptr) {
    entered_ = std::make_unique<Entered>(module);
  }
}
CallScope::~CallScope() = default;

}  // namespace weft::nn::detail
