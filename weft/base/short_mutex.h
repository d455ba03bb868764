// ShortMutex: a Mutex that is held for a few instructions, and is seldom waited for.
//
// One atomic exchange locks it and a store unlocks it, where std::mutex takes two of the former and
// two calls. Whoever waits yields its processor, and sleeps between attempts if that takes long.
// As with Mutex, a forked child always finds it free. A thread that takes many in a row spares
// most of the cost by a ForkDelay around them.
#pragma once

#include <atomic>

#include "weft/base/forks.h"

namespace weft {

class ShortMutex {
 public:
  ShortMutex() = default;
  ShortMutex(const ShortMutex&) = delete;
  ShortMutex& operator=(const ShortMutex&) = delete;

  void lock() noexcept {
    ForkDelay::begin();
    if (!take()) [[unlikely]]
      wait();
  }
  bool try_lock() noexcept {
    ForkDelay::begin();
    if (take()) return true;
    ForkDelay::end();
    return false;
  }
  void unlock() noexcept {
    is_locked_.store(false, std::memory_order_release);
    ForkDelay::end();
  }

 private:
  bool take() noexcept { return !is_locked_.exchange(true, std::memory_order_acquire); }
  void wait() noexcept;  // until it is locked by this thread

  std::atomic<bool> is_locked_{false};
};

}  // namespace weft
