// TimedPart: a part of a run whose time is taken, and what ran inside of it on its thread.
#pragma once

#include <chrono>

#include "weft/runtime/profile.h"

namespace weft {

// For as long as it lives its time runs, and parts that begin on this thread are inside of it.
class TimedPart {
 public:
  explicit TimedPart(InstructionTime& whole);
  explicit TimedPart(const ir::Node& node);  // inside of the part that is running
  ~TimedPart();
  TimedPart(const TimedPart&) = delete;
  TimedPart& operator=(const TimedPart&) = delete;

  static bool is_running() { return running != nullptr; }

 private:
  static thread_local InstructionTime* running;

  InstructionTime* const outer_ = running;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace weft
