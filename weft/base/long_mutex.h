// LongMutex: a lock that may be held for long, and that a forked child takes from lost threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "weft/base/forks.h"

namespace weft {

// For work of any length, also code of users. Forks do not wait for it: a child takes it from a
// thread that it does not have. What it guards may be half changed then.
class LongMutex {
 public:
  void lock() {
    const uint32_t mine = static_cast<uint32_t>(forks_so_far()) + 1;
    for (uint32_t holder = 0; !holder_.compare_exchange_weak(holder, mine);) {
      if (holder == mine) holder_.wait(mine);
      if (holder == mine) holder = 0;  // free now, or another thread was faster
    }
  }
  void unlock() {
    holder_.store(0);
    holder_.notify_one();
  }

 private:
  std::atomic<uint32_t> holder_{0};  // 0: free; else how often the holder's process had forked, + 1
};

}  // namespace weft
