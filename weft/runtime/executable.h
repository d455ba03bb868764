// Executable: a function made ready to run many times on plain values.
#pragma once

#include <atomic>
#include <list>
#include <mutex>

#include "weft/ir/function.h"

namespace weft {

struct Plan;
class Frame;

class Executable {
 public:
  // What runs is what the passes make of the function, unless told otherwise.
  explicit Executable(const ir::Function& function, bool optimizes = true);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // From many threads at once, if need be.
  Tensors run(TensorSpan arguments) const;

  // What it runs.
  const ir::Function& planned() const { return optimized_ ? *optimized_ : function_; }
  // The plan for arguments of these sizes; null where there is none.
  Shared<const Plan> plan_for(TensorSpan arguments) const;

  // A frame that nobody else works in, until it is given back.
  Frame* take_frame(TensorSpan arguments) const;  // null: there is no plan
  void give_back(Frame* frame) const;

 private:
  // A plan that was used lately, and frames of it that wait.
  struct Known {
    Shared<const Plan> plan;
    std::vector<Frame*> idle;
  };
  Known* find(TensorSpan arguments) const;
  void put_aside(Frame* frame) const;

  static constexpr size_t kMostPlans = 16;
  static constexpr size_t kMostIdle = 8;  // frames of a plan

  const ir::Function& function_;
  const Shared<const ir::Function> optimized_;  // null: it is run as it is
  mutable std::atomic<Frame*> hot_{
      nullptr};  // the frame used last: taken and put back without a lock
  mutable std::mutex mutex_;
  mutable std::list<Known> known_;  // the one used last comes first
};

// The executable of a function, made on first use and kept with it.
const Executable& executable_of(const ir::Function& function);

}  // namespace weft
