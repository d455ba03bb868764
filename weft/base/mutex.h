// Mutex: a lock for short work that a forked child always finds free.
#pragma once

#include <mutex>

#include "weft/base/forks.h"

namespace weft {

// A fork by another thread waits until it is free (see ForkDelay): hold it for at most
// milliseconds, and never while code of users runs.
class Mutex {
 public:
  void lock() {
    ForkDelay::begin();
    mutex_.lock();
  }
  bool try_lock() {
    ForkDelay::begin();
    if (mutex_.try_lock()) return true;
    ForkDelay::end();
    return false;
  }
  void unlock() {
    mutex_.unlock();
    ForkDelay::end();
  }

 private:
  std::mutex mutex_;
};

}  // namespace weft
