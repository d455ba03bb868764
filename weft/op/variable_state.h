// What a Variable is a handle to; for those who write Variables.
#pragma once

#include <mutex>

#include "weft/base/atomic.h"
#include "weft/base/short_mutex.h"
#include "weft/op/hooks.h"
#include "weft/op/record.h"
#include "weft/op/variable.h"

namespace weft {

struct VariableState : Tracer {
  ShortMutex mutex;  // guards value and leaf; never held while a tensor is released
  Tensor current;    // undefined while an update has taken it to write in its memory
  Tensor leaf;       // the ambient tape's, made on first read, renewed by assign
  Atomic<const TensorNode*> leaf_now{nullptr};  // the same, to be compared without the lock
  // A VariableState that serves as a box: its own `gradient` is the Variable that people see, a new
  // one for the first gradient after it was cleared. Leaves hold the box.
  Tensor gradient;
  Shared<HookList> hooks;  // null until one is registered; guarded by the mutex
  std::string name;
  Atomic<bool> trainable{true};
  bool is_given = false;  // stands for a Variable, and is read as `current`: VariableHooks::reading
  Where where;

  VariableState();
  void exchange_leaf(Tensor& other) noexcept {  // under the lock
    std::swap(leaf, other);
    leaf_now.store_release(leaf.node());
  }
};

// Waits, without the lock meanwhile, until the value is there.
void wait_for_value(VariableState& state, std::unique_lock<ShortMutex>& lock);

// The lock of a state whose value is there: one that an update has taken comes back soon.
inline std::unique_lock<ShortMutex> lock_value(VariableState& state) {
  std::unique_lock lock(state.mutex);
  if (!state.current.defined()) [[unlikely]]
    wait_for_value(state, lock);
  return lock;
}

// Raises [Variable.given] for a value that was given in place of a Variable: it cannot be written.
void require_place(const VariableState& state);

// The value that the Variable holds now, in a traced function too.
Tensor stored_value(const Variable& variable);

// The innermost open graph, in which assignments are noted and not done; null: none is open.
Level* staging_level();

}  // namespace weft
