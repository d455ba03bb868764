// Locks in forked children: short ones are free and what they guard is whole, long ones are taken.
#include "weft/base/mutex.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "weft/base/long_mutex.h"

namespace weft {
namespace {

// Runs `check` in a forked child; returns its exit status.
template <class Check>
int in_child(Check check) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a hang is a failure too
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

struct Pair {
  Mutex outer, inner;
  int64_t first = 0, second = 0;

  void change() {
    const std::lock_guard lock(outer);
    ++first;
    const std::lock_guard lock_both(inner);  // inside goes on while a fork waits
    std::this_thread::yield();
    ++second;
  }
  bool is_whole() {
    const std::lock_guard lock(outer);
    const std::lock_guard lock_both(inner);
    return first == second;
  }
};

TEST(Mutex, a_forked_child_finds_it_free_and_what_it_guards_whole) {
  Pair pair;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) pair.change();
    });
  }
  for (int i = 0; i < 200; ++i) ASSERT_EQ(in_child([&] { return pair.is_whole(); }), 0) << i;
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(pair.is_whole());
}

TEST(Mutex, the_thread_that_forks_keeps_what_it_holds) {
  Mutex mutex;
  bool is_free_in_child = true;
  {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(in_child([&] {
                is_free_in_child = mutex.try_lock();
                return !is_free_in_child;
              }),
              0);
  }
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(Mutex, threads_wait_for_the_fork_of_another) {
  Mutex mutex;
  std::atomic<int64_t> locked{0};
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      const std::lock_guard lock(mutex);
      ++locked;
    }
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(in_child([] { return true; }), 0);
  const int64_t before = locked;
  while (locked == before) std::this_thread::yield();  // it goes on after the fork
  stop = true;
  other.join();
}

TEST(LongMutex, a_forked_child_takes_it_from_a_thread_that_it_lacks) {
  LongMutex mutex;
  std::atomic<bool> is_held{false}, may_end{false};
  std::thread holder([&] {
    const std::lock_guard lock(mutex);
    is_held = true;
    while (!may_end) std::this_thread::yield();
  });
  while (!is_held) std::this_thread::yield();
  EXPECT_EQ(in_child([&] {
              const std::lock_guard lock(mutex);
              return true;
            }),
            0);
  may_end = true;
  const std::lock_guard lock(mutex);  // waits for the holder
  holder.join();
}

TEST(Forks, a_child_counts_them_and_renews_what_is_registered) {
  static int renewed = 0;
  renew_in_children([] { ++renewed; });
  const int before = forks_so_far();
  EXPECT_EQ(in_child([&] { return forks_so_far() == before + 1 && renewed == 1; }), 0);
  EXPECT_EQ(forks_so_far(), before);
  EXPECT_EQ(renewed, 0);
}

}  // namespace
}  // namespace weft
