// Scopes of calls.
#include "weft/nn/call_scope.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "weft/nn/module.h"
#include "weft/trace/name_scope.h"

namespace weft::nn::detail {
namespace {

thread_local std::vector<const ModuleBase*> called;  // from the outermost

// What `outer` calls a module that it holds; empty if it does not.
std::string name_in(const ModuleBase& outer, const ModuleBase* module) {
  for (const Found& one : walked(outer, /*need_all=*/false)) {
    if (one.module == module && !one.name.empty()) return one.name;
  }
  return {};
}

// What the innermost module around that holds it calls it; empty if none does.
std::string name_of(const ModuleBase& module) {
  std::string out;
  for (size_t i = called.size(); i-- > 0 && out.empty();) out = name_in(*called[i], &module);
  return out;
}

// The error that left a module last on this thread.
struct Leaving {
  std::exception_ptr error;  // held, so that no other error has its address
  const ModuleBase* module = nullptr;
  std::string path, type;

  std::string note() const { return text("in the module '", path, "' (", type, ")"); }
};
thread_local Leaving leaving;

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

void note_path(const ModuleBase& module, Error& error) {
  const std::exception_ptr handled = std::current_exception();
  if (leaving.error != handled) {
    leaving = {handled, &module, "", module.type_name()};
    return;
  }
  std::string name;
  try {
    name = name_in(module, leaving.module);
  } catch (const Error&) {  // of a module whose names cannot be told apart
  }
  if (name.empty()) return;
  const std::string before = leaving.note();
  leaving.path = leaving.path.empty() ? name : text(name, ".", leaving.path);
  leaving.module = &module;
  // First: the line of the call stays last, where the next one that notes it looks for it.
  std::vector<std::string> others = std::exchange(error.notes, {});
  std::erase(others, before);
  error.note(leaving.note());
  for (std::string& one : others) error.note(std::move(one));
}

}  // namespace weft::nn::detail
