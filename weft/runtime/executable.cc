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
  for (Frame* const frame : idle_) delete frame;
}

Shared<const RunPlan> Executable::find(TensorSpan arguments) const {
  const auto found =
      std::find_if(plans_.begin(), plans_.end(),
                   [&](const Shared<const RunPlan>& plan) { return plan->fits(arguments); });
  if (found == plans_.end()) return nullptr;
  plans_.splice(plans_.begin(), plans_, found);
  return plans_.front();
}

Shared<const RunPlan> Executable::plan_for(TensorSpan arguments) const {
  {
    std::lock_guard lock(mutex_);
    if (Shared<const RunPlan> known = find(arguments)) return known;
  }
  Shared<const RunPlan> plan = make_plan(planned(), arguments);
  if (plan == nullptr) return nullptr;
  std::lock_guard lock(mutex_);
  if (Shared<const RunPlan> known = find(arguments)) return known;
  plans_.push_front(plan);
  if (plans_.size() > kMostPlans) plans_.pop_back();
  return plan;
}

Frame* Executable::take_frame(TensorSpan arguments) const {
  Frame* const hot = hot_.exchange(nullptr, std::memory_order_acquire);
  if (hot != nullptr) {
    if (hot->plan().fits(arguments)) [[likely]]
      return hot;
    put_aside(hot);
  }
  {
    std::lock_guard lock(mutex_);
    for (auto it = idle_.begin(); it != idle_.end(); ++it) {
      if (!(*it)->plan().fits(arguments)) continue;
      Frame* const frame = *it;
      idle_.erase(it);
      return frame;
    }
  }
  Shared<const RunPlan> plan = plan_for(arguments);
  if (plan == nullptr) return nullptr;
  drop_idle();
  Tensor arena;
  {
    std::lock_guard lock(mutex_);
    if (spare_.defined() && spare_.numel() >= plan->arena.bytes) std::swap(arena, spare_);
  }
  return new Frame(std::move(plan), std::move(arena));
}

void Executable::give_back(Frame* frame, bool is_left) const {
  if (is_left) {
    delete frame;
    return;
  }
  Frame* const other = hot_.exchange(frame, std::memory_order_acq_rel);
  if (other != nullptr) put_aside(other);
}

void Executable::put_aside(Frame* frame) const {
  {
    std::lock_guard lock(mutex_);
    idle_.push_front(frame);
  }
  drop_idle();
}

void Executable::drop_idle() const {
  std::list<Frame*> gone;
  Tensor dropped;  // freed without the lock
  {
    std::lock_guard lock(mutex_);
    const RunPlan* const latest = plans_.empty() ? nullptr : plans_.front().get();
    int64_t bytes = 0, other_bytes = 0;
    size_t count = 0, others = 0;
    const auto is_kept = [&](const Frame& frame) {
      const int64_t size = frame.arena().defined() ? frame.arena().numel() : 0;
      bytes += size;
      if (++count > kMostIdle || bytes > kMostIdleBytes) return false;
      if (&frame.plan() == latest) return true;
      other_bytes += size;
      return ++others <= kMostOthers && other_bytes <= kMostOtherBytes;
    };
    for (auto it = idle_.begin(); it != idle_.end();) {
      const auto here = it++;
      if (!is_kept(**here)) gone.splice(gone.end(), idle_, here);
    }
    for (const Frame* const old : gone) {
      const bool is_larger =
          old->arena().defined() && (!spare_.defined() || old->arena().numel() > spare_.numel());
      if (!is_larger || old->arena().numel() > kMostIdleBytes) continue;
      dropped = std::move(spare_);
      spare_ = old->arena();
    }
  }
  for (Frame* const old : gone) delete old;
}

Tensors Executable::run(TensorSpan arguments, const Donor* donor) const {
  if (context.is_observed) return interpret(function_, arguments);
  Frame* const frame = take_frame(arguments);
  if (frame == nullptr) return interpret(function_, arguments);
  struct Ended {
    const Executable& executable;
    Frame* frame;
    bool is_left = true;
    ~Ended() { executable.give_back(frame, is_left); }
  } ended{*this, frame};
  Tensors out = frame->run(arguments, donor);
  ended.is_left = false;
  return out;
}

const Executable& executable_of(const ir::Function& function) {
  ir::Function::Kept& kept = function.kept();
  if (const void* const ready = kept.ready.load_acquire()) {
    return *static_cast<const Executable*>(ready);
  }
  // Not under the lock: constants are folded, and meanwhile a signal handler may call the function.
  Shared<void> made = new_shared<Executable>(function);
  std::lock_guard lock(kept.mutex);
  if (kept.executable == nullptr) std::swap(kept.executable, made);
  kept.ready.store_release(kept.executable.get());
  return *static_cast<const Executable*>(kept.executable.get());
}

namespace ir {

Tensors run(const Function& function, TensorSpan arguments) {
  return executable_of(function).run(arguments);
}

}  // namespace ir
}  // namespace weft
