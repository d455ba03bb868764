// Executable: a function made ready to run many times on plain values.
#pragma once

#include <atomic>
#include <list>
#include <mutex>

#include "weft/base/mutex.h"
#include "weft/ir/function.h"

namespace weft {

struct RunPlan;
class Frame;
struct Donor;

class Executable {
 public:
  // What runs is what the passes make of the function, unless told otherwise.
  explicit Executable(const ir::Function& function, bool optimizes = true);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // From many threads at once, if need be.
  Tensors run(TensorSpan arguments, const Donor* donor = nullptr) const;

  // What it runs.
  const ir::Function& planned() const { return optimized_ ? *optimized_ : function_; }
  // The plan for arguments of these sizes; null where there is none.
  Shared<const RunPlan> plan_for(TensorSpan arguments) const;

  // A frame that nobody else works in, until it is given back.
  Frame* take_frame(TensorSpan arguments) const;  // null: there is no plan
  // A frame whose run was left by an exception is dropped: a kernel that was left behind may still
  // write to its arena.
  void give_back(Frame* frame, bool is_left = false) const;

 private:
  Shared<const RunPlan> find(TensorSpan arguments) const;
  void put_aside(Frame* frame) const;
  // Lets go of frames that are not worth their memory; their largest arena is kept for the next.
  void drop_idle() const;

  static constexpr size_t kMostPlans = 16;
  // Frames that wait: of the plan used last, for threads, and few small ones of others. Where an
  // arena is large a new frame costs little beside its run, but memory that is touched for the
  // first time costs more than the run: sizes take turns in one arena.
  static constexpr size_t kMostIdle = 8, kMostOthers = 2;
  static constexpr int64_t kMostIdleBytes = int64_t{256} << 20;
  static constexpr int64_t kMostOtherBytes = int64_t{1} << 20;

  const ir::Function& function_;
  const Shared<const ir::Function> optimized_;  // null: it is run as it is
  mutable std::atomic<Frame*> hot_{
      nullptr};  // the frame used last: taken and put back without a lock
  mutable Mutex mutex_;
  // Both with the one used last in front.
  mutable std::list<Shared<const RunPlan>> plans_;
  mutable std::list<Frame*> idle_;
  mutable Tensor spare_;  // the largest arena of frames that are gone
};

// The executable of a function, made on first use and kept with it.
const Executable& executable_of(const ir::Function& function);

}  // namespace weft
