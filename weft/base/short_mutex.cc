// How threads wait for a ShortMutex.
#include "weft/base/short_mutex.h"

#include <chrono>
#include <thread>

namespace weft {
namespace {

constexpr int kYields = 100;  // before the first sleep
constexpr std::chrono::microseconds kSleep{50};

}  // namespace

void ShortMutex::wait() noexcept {
  for (int attempts = 0;; ++attempts) {
    if (!is_locked_.load(std::memory_order_relaxed) && take()) return;
    if (attempts < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kSleep);
    }
  }
}

}  // namespace weft
