// Calls of hooks.
#include "weft/nn/forward_hook.h"

#include <atomic>

#include "weft/base/error.h"
#include "weft/nn/module.h"

namespace weft::nn {
namespace {

void require_count(const ModuleBase& module, std::string_view who, size_t given, size_t seen) {
  if (given == seen) return;
  fail(Code::kInvalid, who, "count", "the hook of ", module.type_name(), " gave ", given,
       " tensors instead of ", seen, "; it gives as many, or none");
}

}  // namespace

namespace detail {

void call_before(const ModuleBase& module, Tensors& inputs) {
  const ModuleBase::Hooks hooks = module.hooks();  // those of now: a hook may remove itself
  for (const Shared<HookEntry>& hook : hooks) {
    if (!hook->is_before || hook->is_removed) continue;
    const Replaced replaced = hook->function(module, inputs, {});
    if (!replaced.tensors()) continue;
    require_count(module, "register_forward_pre_hook", replaced.tensors()->size(), inputs.size());
    inputs = *replaced.tensors();
  }
}

bool call_after(const ModuleBase& module, TensorSpan inputs, Tensors& outputs) {
  bool is_replaced = false;
  const ModuleBase::Hooks hooks = module.hooks();
  for (const Shared<HookEntry>& hook : hooks) {
    if (hook->is_before || hook->is_removed) continue;
    const Replaced replaced = hook->function(module, inputs, outputs);
    if (!replaced.tensors()) continue;
    require_count(module, "register_forward_hook", replaced.tensors()->size(), outputs.size());
    outputs = *replaced.tensors();
    is_replaced = true;
  }
  return is_replaced;
}

}  // namespace detail

Hook ModuleBase::add_hook(detail::HookEntry entry) {
  static std::atomic<uint64_t> count = 0;
  if (!has_forward()) {
    fail(Code::kInvalid, "Module", "forward", type_name(),
         " has an operator() of its own, which hooks do not see; name it forward, and Module calls "
         "it");
  }
  forget_removed_hooks();
  entry.number = ++count;
  hooks_.push_back(new_shared<detail::HookEntry>(std::move(entry)));
  return Hook(hooks_.back());
}

void ModuleBase::forget_removed_hooks() {
  std::erase_if(hooks_, [](const auto& hook) { return hook->is_removed; });
}

}  // namespace weft::nn
