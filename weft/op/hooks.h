// Hooks: functions that see the cotangent of a value on its way back, and may replace it; and
// gradients kept for values that are no Variables.
#pragma once

#include <functional>

#include "weft/base/shared.h"
#include "weft/op/variable.h"

namespace weft {

// The value's whole cotangent to the one that goes on from it; undefined: as it is.
using Hook = std::function<Tensor(const Tensor& cotangent)>;
struct HookList;

class HookHandle {
 public:
  HookHandle() = default;
  HookHandle(const Shared<HookList>& list, uint64_t id) : list_(list), id_(id) {}
  void remove();  // the hook is not called any more

 private:
  Weak<HookList> list_;
  uint64_t id_ = 0;
};

// Hooks of a value run in the order of their registration, once per sweep, before anything else
// sees the cotangent. Those of a Variable stay when it is assigned to.
HookHandle register_hook(const Tensor& value, Hook hook);
HookHandle register_hook(const Variable& variable, Hook hook);

// From here on sweeps add the cotangent of `value`, after its hooks, to `retained_grad(value)`.
void retain_grad(const Tensor& value);
bool retains_grad(const Tensor& value);
Tensor retained_grad(const Tensor& value);  // undefined before a sweep has come by

// For sweeps: the cotangents of a record that is `hooked`, all of its outputs.
void run_hooks(GradNode* record, Tensors& cotangents);
// For the owner of a record that is `hooked` and goes.
void drop_hooks(GradNode* record) noexcept;

// A Variable has one list, made when it is first asked for, which all its leaves share.
struct VariableHooks {
  static Shared<HookList> list_of(const Variable& variable);
  static void attach(const Variable& variable, const Tensor& leaf);
  // What is read as `value`, be it a tracer, where code expects `variable`; it is no place, and
  // assigning to it raises [Variable.given]. So a transformation reaches what a module holds.
  static Variable reading(const Variable& variable, const Tensor& value);
};
Shared<HookList> new_hook_list();
void share_hooks(GradNode* leaf, const Shared<HookList>& list);

}  // namespace weft
