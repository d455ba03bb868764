// Observers: functions that see every op that passes the door. Profilers, counters, hunts for NaN
// and drawings are small users of them.
#pragma once

#include <utility>

#include "weft/op/op.h"

namespace weft {

// An op that was computed: under a tape, grad or vmap, what was computed at the bottom of it.
struct Observation {
  const OpDef& op;
  const void* attrs;
  TensorSpan inputs;  // plain values, as the kernel got them
  TensorSpan outputs;
  Where where;
  int64_t nanoseconds;
  int64_t bytes;  // of inputs and outputs together
};

// Sees the ops of the thread that began it, from begin to end.
class Observer {
 public:
  Observer() = default;
  virtual ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  void begin();
  void end();  // on the thread that began it; nothing to do if it has ended

 protected:
  // Ops computed in here are not observed; an error raised in here goes to the op's caller.
  virtual void see(const Observation& observation) = 0;

 private:
  friend Tensors compute_observed(const OpDef&, TensorSpan, const void*, Where);
  Observer* next_ = nullptr;
  const void* home_ = nullptr;  // the context of the thread that began it
};

// Calls `f` for as long as it lives:
//   int64_t ops = 0;
//   const Observe count([&](const Observation&) { ++ops; });
template <class F>
class Observe final : public Observer {
 public:
  explicit Observe(F f) : f_(std::move(f)) { begin(); }
  ~Observe() override = default;

 private:
  void see(const Observation& observation) override { f_(observation); }
  F f_;
};

// Observers see nothing while it lives.
class Unobserved {
 public:
  Unobserved();
  ~Unobserved();
  Unobserved(const Unobserved&) = delete;
  Unobserved& operator=(const Unobserved&) = delete;
};

// Computes plain, prepared inputs now and tells the observers.
Tensors compute_observed(const OpDef& op, TensorSpan in, const void* attrs, Where where);

}  // namespace weft
