// ShortMutex: one thread at a time, also where the lock is held for long.
#include "weft/base/short_mutex.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "weft/base/test_threads.h"

namespace weft {
namespace {

TEST(ShortMutex, OneThreadAtATime) {
  ShortMutex mutex;
  int64_t count = 0;
  on_threads([&](int) {
    for (int i = 0; i < 10'000; ++i) {
      const std::lock_guard lock(mutex);
      ++count;
    }
  });
  EXPECT_EQ(count, kTestThreads * 10'000);
}

TEST(ShortMutex, WaitsForALongHolder) {
  ShortMutex mutex;
  bool is_done = false;
  mutex.lock();
  EXPECT_FALSE(mutex.try_lock());
  std::thread waiting([&] {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(is_done);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  is_done = true;
  mutex.unlock();
  waiting.join();
  EXPECT_TRUE(mutex.try_lock());
}

}  // namespace
}  // namespace weft
