// Shared and Weak: who keeps an object, and when it goes.
#include "weft/base/shared.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace weft {
namespace {

struct Counted {
  explicit Counted(int& alive) : alive(alive) { ++alive; }
  ~Counted() { --alive; }
  int& alive;
};

TEST(Shared, TheLastHandleEndsTheObject) {
  int alive = 0;
  {
    const Shared<Counted> first = new_shared<Counted>(alive);
    Shared<const Counted> second = first;
    Shared<void> third = second ? Shared<void>(first) : nullptr;
    EXPECT_EQ(alive, 1);
    second = nullptr;
    EXPECT_FALSE(second);
    EXPECT_EQ(third.get(), first.get());
  }
  EXPECT_EQ(alive, 0);
}

TEST(Shared, AWeakHandleKeepsNothing) {
  int alive = 0;
  Shared<Counted> object = new_shared<Counted>(alive);
  const Weak<Counted> weak = object;
  EXPECT_TRUE(weak.lock() == object);
  object = nullptr;
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(weak.lock());
  EXPECT_FALSE(Weak<Counted>().lock());
}

TEST(Shared, ThreadsShareAndLock) {
  int alive = 0;
  Shared<Counted> object = new_shared<Counted>(alive);
  const Weak<Counted> weak = object;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([weak] {
      for (int i = 0; i < 1000; ++i) {
        const Shared<Counted> here = weak.lock();
        if (here) {
          EXPECT_GT(here->alive, 0);
        }
      }
    });
  }
  object = nullptr;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace weft
