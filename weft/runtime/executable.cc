// Running a function: the plan for the sizes it is given, found or made.
#include "weft/runtime/executable.h"

#include <algorithm>

#include "weft/compile/passes.h"
#include "weft/op/context.h"
#include "weft/runtime/frame.h"
#include "weft/runtime/interpret.h"

namespace weft {

Executable::Executable(const ir::Function& function, bool optimizes)
    : function_(function), optimized_(optimizes ? compile::optimize(function) : nullptr) {}

Executable::~Executable() {
  delete hot_.load();
  for (const Known& known : known_) {
    for (Frame* const frame : known.idle) delete frame;
  }
}

Executable::Known* Executable::find(TensorSpan arguments) const {
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& known) { return known.plan->fits(arguments); });
  if (found == known_.end()) return nullptr;
  known_.splice(known_.begin(), known_, found);
  return &known_.front();
}

Shared<const Plan> Executable::plan_for(TensorSpan arguments) const {
  {
    std::lock_guard lock(mutex_);
    if (const Known* const known = find(arguments)) return known->plan;
  }
  Shared<const Plan> plan = make_plan(planned(), arguments);
  if (plan == nullptr) return nullptr;
  std::vector<Frame*> gone;
  {
    std::lock_guard lock(mutex_);
    if (const Known* const known = find(arguments)) return known->plan;
    known_.push_front({plan, {}});
    if (known_.size() > kMostPlans) {
      gone = std::move(known_.back().idle);
      known_.pop_back();
    }
  }
  for (Frame* const frame : gone) delete frame;
  return plan;
}

Frame* Executable::take_frame(TensorSpan arguments) const {
  Frame* const hot = hot_.exchange(nullptr, std::memory_order_acquire);
  if (hot != nullptr) {
    if (hot->plan().fits(arguments)) [[likely]]
      return hot;
    put_aside(hot);
  }
  Shared<const Plan> plan;
  {
    std::lock_guard lock(mutex_);
    if (Known* const known = find(arguments)) {
      plan = known->plan;
      if (!known->idle.empty()) {
        Frame* const frame = known->idle.back();
        known->idle.pop_back();
        return frame;
      }
    }
  }
  if (plan == nullptr) plan = plan_for(arguments);
  return plan == nullptr ? nullptr : new Frame(std::move(plan));
}

void Executable::give_back(Frame* frame) const {
  Frame* const other = hot_.exchange(frame, std::memory_order_acq_rel);
  if (other != nullptr) put_aside(other);
}

// It waits with its plan, if that is still known.
void Executable::put_aside(Frame* frame) const {
  Frame* gone = frame;
  {
    std::lock_guard lock(mutex_);
    for (Known& known : known_) {
      if (known.plan.get() != &frame->plan() || known.idle.size() >= kMostIdle) continue;
      known.idle.push_back(frame);
      gone = nullptr;
      break;
    }
  }
  delete gone;
}

Tensors Executable::run(TensorSpan arguments) const {
  if (context.is_observed) return interpret(function_, arguments);
  Frame* const frame = take_frame(arguments);
  if (frame == nullptr) return interpret(function_, arguments);
  struct Ended {
    const Executable& executable;
    Frame* frame;
    ~Ended() { executable.give_back(frame); }
  } const ended{*this, frame};
  return frame->run(arguments);
}

const Executable& executable_of(const ir::Function& function) {
  ir::Function::Kept& kept = function.kept();
  if (const void* const ready = kept.ready.load_acquire()) {
    return *static_cast<const Executable*>(ready);
  }
  std::lock_guard lock(kept.mutex);
  if (kept.executable == nullptr) kept.executable = new_shared<Executable>(function);
  kept.ready.store_release(kept.executable.get());
  return *static_cast<const Executable*>(kept.executable.get());
}

namespace ir {

Tensors run(const Function& function, TensorSpan arguments) {
  return executable_of(function).run(arguments);
}

}  // namespace ir
}  // namespace weft
