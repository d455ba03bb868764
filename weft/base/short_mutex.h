// ShortMutex: a lock that is held for a few instructions, and is seldom waited for.
//
// One atomic exchange locks it and a store unlocks it, where std::mutex takes two of the former and
// two calls. Whoever waits yields its processor, and sleeps between attempts if that takes long.
#pragma once

#include <atomic>

namespace weft {

class ShortMutex {
 public:
  ShortMutex() = default;
  ShortMutex(const ShortMutex&) = delete;
  ShortMutex& operator=(const ShortMutex&) = delete;

  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      wait();
  }
  bool try_lock() noexcept { return !is_locked_.exchange(true, std::memory_order_acquire); }
  void unlock() noexcept { is_locked_.store(false, std::memory_order_release); }

 private:
  void wait() noexcept;  // until it is locked by this thread

  std::atomic<bool> is_locked_{false};
};

}  // namespace weft
