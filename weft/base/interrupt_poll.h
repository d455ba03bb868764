// Which poll decides on a thread whether work is interrupted.
#pragma once

#include "weft/base/function_ref.h"

namespace weft {

using InterruptPoll = bool (*)();

// What set_interrupt_poll has set; null: nothing.
InterruptPoll current_interrupt_poll();

// Would poll_interrupt ask the user's poll on this thread now? Not on workers of the pool, in
// tiles, under Uninterrupted and StopsWhen.
bool is_interruptible();

// While it lives, poll_interrupt and parallel_for on this thread call `is_over` instead of the
// user's poll: for threads whose work may be abandoned.
class StopsWhen {
 public:
  explicit StopsWhen(FunctionRef<bool()> is_over);
  ~StopsWhen();
  StopsWhen(const StopsWhen&) = delete;
  StopsWhen& operator=(const StopsWhen&) = delete;

 private:
  const FunctionRef<bool()> is_over_;
  StopsWhen* const outer_;
  friend bool is_given_up();
};

}  // namespace weft
