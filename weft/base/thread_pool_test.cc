// Every tile once, on any number of threads; what throws, forks, nests or collides.
#include "weft/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "weft/base/error.h"
#include "weft/base/machine.h"

namespace weft {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool kThreadSanitizer = false;
#endif

// So many tiles that a loop over them ends only if it is stopped.
constexpr int64_t kForever = 1'000'000'000'000;

class ThreadPool : public testing::Test {
 protected:
  ~ThreadPool() override {
    set_num_threads(before_);
    set_interrupt_poll(nullptr);
  }

 private:
  int before_ = num_threads();
};

// How often each tile ran.
std::vector<int> counts(int64_t tiles) {
  std::vector<std::atomic<int>> seen(tiles);
  parallel_for(tiles, [&](int64_t tile) { ++seen[tile]; });
  return {seen.begin(), seen.end()};
}

TEST_F(ThreadPool, runs_every_tile_once) {
  for (const int threads : {1, 2, 3, 4, 7}) {
    set_num_threads(threads);
    EXPECT_EQ(num_threads(), threads);
    for (const int64_t tiles : {0, 1, 2, 3, 64, 1001}) {
      EXPECT_EQ(counts(tiles), std::vector<int>(tiles, 1)) << threads << " threads";
    }
  }
}

TEST_F(ThreadPool, many_small_forks) {
  set_num_threads(2);
  int64_t sum = 0;
  std::atomic<int64_t> total{0};
  for (int64_t i = 0; i < 20000; ++i) {
    parallel_for(2 + i % 3, [&](int64_t tile) { total += tile + i; });
    for (int64_t tile = 0; tile < 2 + i % 3; ++tile) sum += tile + i;
  }
  EXPECT_EQ(total, sum);
}

TEST_F(ThreadPool, workers_take_part_after_parking) {
  set_num_threads(2);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // longer than workers spin
    std::mutex mutex;
    std::set<std::thread::id> ids;
    std::atomic<int> arrived{0};
    // Neither tile ends before both have begun, so two threads are needed.
    parallel_for(2, [&](int64_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(ids.size(), 2u);
  }
}

TEST_F(ThreadPool, caller_sleeps_until_a_long_tile_ends) {
  set_num_threads(2);
  std::atomic<int> ended{0};
  const auto caller = std::this_thread::get_id();
  std::atomic<int> arrived{0};
  parallel_for(2, [&](int64_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
    if (std::this_thread::get_id() != caller) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ++ended;
  });
  EXPECT_EQ(ended, 2);
}

TEST_F(ThreadPool, nested_calls_run_on_the_same_thread) {
  set_num_threads(3);
  std::atomic<int> wrong{0}, inner{0};
  parallel_for(8, [&](int64_t) {
    const auto self = std::this_thread::get_id();
    parallel_for(8, [&](int64_t) {
      if (std::this_thread::get_id() != self) ++wrong;
      ++inner;
    });
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(inner, 64);
}

TEST_F(ThreadPool, one_tile_may_fork_inside) {
  set_num_threads(2);
  std::atomic<int> arrived{0};
  parallel_for(1, [&](int64_t) {
    parallel_for(2, [&](int64_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
    });
  });
  EXPECT_EQ(arrived, 2);
}

TEST_F(ThreadPool, concurrent_callers) {
  set_num_threads(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int j = 0; j < 300; ++j) {
        if (counts(17) != std::vector<int>(17, 1)) ++wrong;
      }
    });
  }
  for (int i = 0; i < 20; ++i) set_num_threads(1 + i % 4);  // resizing meanwhile
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ThreadPool, a_throwing_tile_ends_the_loop) {
  for (const int threads : {1, 2, 4}) {
    set_num_threads(threads);
    for (int64_t bad = 0; bad < 1000; bad += 37) {
      std::atomic<int64_t> ran{0};
      try {
        parallel_for(kForever, [&](int64_t tile) {
          ++ran;
          if (tile == bad) fail(Code::kInvalid, "test", "", "tile ", tile);
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const Error& error) {
        EXPECT_EQ(error.message, text("tile ", bad));
      }
      EXPECT_LT(ran, kForever);  // the rest was skipped
    }
    EXPECT_EQ(counts(100), std::vector<int>(100, 1));  // and the pool still works
  }
}

TEST_F(ThreadPool, all_tiles_throw) {
  set_num_threads(4);
  for (int i = 0; i < 200; ++i) {
    EXPECT_THROW(parallel_for(50, [](int64_t) { throw 7; }), int);
  }
}

constinit std::atomic<int> polls{0};
constinit std::atomic<int> polls_until_stop{0};
std::thread::id polling_thread;
constinit std::atomic<bool> polled_elsewhere{false};

bool counting_poll() {
  if (std::this_thread::get_id() != polling_thread) polled_elsewhere = true;
  return ++polls > polls_until_stop;
}

TEST_F(ThreadPool, interrupt_is_polled_on_the_callers_thread) {
  polling_thread = std::this_thread::get_id();
  for (const int threads : {1, 2}) {
    set_num_threads(threads);
    polls = 0;
    polls_until_stop = 3;
    polled_elsewhere = false;
    set_interrupt_poll(counting_poll);
    std::atomic<int64_t> ran{0};
    try {
      parallel_for(kForever, [&](int64_t) {
        ++ran;
        parallel_for(2, [](int64_t) {});  // on a worker, this does not poll
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code, Code::kInterrupted);
      EXPECT_STREQ(error.what(), "parallel_for: interrupted by the user");
    }
    EXPECT_GE(ran, 1);
    EXPECT_FALSE(polled_elsewhere);
    set_interrupt_poll(nullptr);
  }
}

// The caller has nothing left to do and waits for a worker, whose tile only asks by itself.
TEST_F(ThreadPool, an_interrupt_reaches_tiles_of_workers) {
  set_num_threads(2);
  std::atomic<bool> is_on_worker{false};
  const std::thread::id caller = std::this_thread::get_id();
  set_interrupt_poll([] { return true; });
  try {
    parallel_for(2, [&](int64_t) {
      if (std::this_thread::get_id() == caller) {
        while (!is_on_worker.load()) std::this_thread::yield();
        return;
      }
      is_on_worker = true;
      while (true) poll_interrupt();
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code, Code::kInterrupted);
    EXPECT_STREQ(error.what(), "parallel_for: interrupted by the user");
  }
  set_interrupt_poll(nullptr);
}

TEST_F(ThreadPool, count_out_of_range) {
  for (const int count : {0, -1, 1025}) {
    try {
      set_num_threads(count);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), text("set_num_threads: count is ", count,
                                   "; it may be 1 to 1024 [set_num_threads.count]"));
    }
  }
}

#if defined(__x86_64__)
TEST_F(ThreadPool, the_callers_rounding_mode_holds_in_every_tile) {
  set_num_threads(2);
  const auto third_everywhere = [](double expected) {
    std::atomic<int> arrived{0}, wrong{0};
    parallel_for(2, [&](int64_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();  // so that both threads run one
      volatile double one = 1, three = 3;
      if (one / three != expected) ++wrong;
    });
    return wrong == 0;
  };
  EXPECT_TRUE(third_everywhere(0x1.5555555555555p-2));
  std::fesetround(FE_UPWARD);
  EXPECT_TRUE(third_everywhere(0x1.5555555555556p-2));
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(third_everywhere(0x1.5555555555555p-2));
}
#endif

// The environment is read once, so these run in a process of their own.
TEST(ThreadPoolEnvironment, DISABLED_has_3_threads) { EXPECT_EQ(num_threads(), 3); }
TEST(ThreadPoolEnvironment, DISABLED_has_usable_cpus) { EXPECT_EQ(num_threads(), usable_cpus()); }

bool passes_with(const std::string& environment, const std::string& test) {
  const std::string command = text(environment, " /proc/", int64_t{getpid()},
                                   "/exe --gtest_also_run_disabled_tests --gtest_brief=1 "
                                   "--gtest_filter=ThreadPoolEnvironment.DISABLED_",
                                   test, " > /dev/null");
  return std::system(command.c_str()) == 0;
}

TEST(ThreadPoolEnvironment, sets_the_number_of_threads) {
  EXPECT_TRUE(passes_with("WEFT_NUM_THREADS=3", "has_3_threads"));
  EXPECT_FALSE(passes_with("WEFT_NUM_THREADS=5", "has_3_threads"));
  for (const char* wish : {"''", "0", "-2", "3x", "99999"}) {
    EXPECT_TRUE(passes_with(text("WEFT_LOG=off WEFT_NUM_THREADS=", wish), "has_usable_cpus"));
  }
}

// Forks when the process exits, after the pool's own file could have been torn down.
struct LateUser {
  ~LateUser() {
    if (counts(9) != std::vector<int>(9, 1)) _exit(3);
  }
};

TEST(ThreadPoolDeathTest, may_be_used_until_the_end) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process, not a fork of this one
  const auto use_and_exit = [] {
    static LateUser late;
    set_num_threads(3);
    counts(100);
    std::exit(0);  // while workers spin
  };
  EXPECT_EXIT(use_and_exit(), testing::ExitedWithCode(0), "");
}

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

TEST_F(ThreadPool, works_in_a_forked_child) {
  if (kThreadSanitizer) GTEST_SKIP() << "the thread sanitizer starts no threads after a fork";
  set_num_threads(3);
  EXPECT_EQ(counts(100), std::vector<int>(100, 1));
  const auto check = [] {
    for (int i = 0; i < 3; ++i) {
      std::atomic<int> arrived{0};
      parallel_for(3, [&](int64_t) {  // all three threads exist again
        ++arrived;
        while (arrived < 3) std::this_thread::yield();
      });
      if (counts(1000) != std::vector<int>(1000, 1)) return false;
    }
    return true;
  };
  EXPECT_EQ(in_child(check), 0);
  EXPECT_EQ(counts(100), std::vector<int>(100, 1));
}

TEST_F(ThreadPool, fork_while_another_thread_uses_the_pool) {
  if (kThreadSanitizer) GTEST_SKIP() << "the thread sanitizer starts no threads after a fork";
  set_num_threads(2);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) parallel_for(2, [](int64_t) { std::this_thread::yield(); });
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(in_child([] { return counts(100) == std::vector<int>(100, 1); }), 0);
  }
  stop = true;
  other.join();
}

TEST_F(ThreadPool, fork_inside_a_tile_raises_in_the_child) {
  if (kThreadSanitizer) GTEST_SKIP() << "the thread sanitizer starts no threads after a fork";
  set_num_threads(2);
  const pid_t parent = getpid();
  const auto caller = std::this_thread::get_id();
  std::atomic<int> status{-1};
  try {
    std::atomic<int> arrived{0};
    parallel_for(2, [&](int64_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
      if (std::this_thread::get_id() != caller) return;
      const pid_t child = fork();
      if (child == 0) {
        alarm(20);
        return;
      }
      int out = -1;
      waitpid(child, &out, 0);
      status = out;
    });
  } catch (const Error&) {
    if (getpid() != parent) _exit(counts(9) == std::vector<int>(9, 1) ? 0 : 1);
    throw;
  }
  if (getpid() != parent) _exit(2);
  EXPECT_EQ(status, 0);
}

// A poll runs signal handlers of users, which may fork: workers still have tasks then.
TEST_F(ThreadPool, fork_inside_a_poll_raises_in_the_child) {
  if (kThreadSanitizer) GTEST_SKIP() << "the thread sanitizer starts no threads after a fork";
  set_num_threads(2);
  const pid_t parent = getpid();
  static std::atomic<int> status;
  static std::atomic<bool> has_forked;
  status = -1;
  has_forked = false;
  const auto caller = std::this_thread::get_id();
  set_interrupt_poll([] {
    if (has_forked.exchange(true)) return false;
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      return false;
    }
    int out = -1;
    waitpid(child, &out, 0);
    status = out;
    return false;
  });
  try {
    std::atomic<int> arrived{0};
    parallel_for(2, [&](int64_t) {  // the caller waits for the worker, and polls
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
      while (std::this_thread::get_id() != caller && status == -1) std::this_thread::yield();
    });
  } catch (const Error& error) {
    if (getpid() == parent) throw;
    const bool is_told = std::string_view(error.what()).ends_with("[parallel_for.forked]");
    _exit(is_told && counts(9) == std::vector<int>(9, 1) ? 0 : 1);
  }
  if (getpid() != parent) _exit(2);
  set_interrupt_poll(nullptr);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace weft
