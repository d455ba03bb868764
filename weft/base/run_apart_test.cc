// Work on a thread that can be left behind: what it gives, what it throws, and what an interrupt
// does.
#include "weft/base/run_apart.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "weft/base/error.h"
#include "weft/base/interrupt_poll.h"
#include "weft/base/thread_pool.h"

namespace weft {
namespace {

TEST(RunApart, runs_on_another_thread) {
  std::thread::id there;
  bool is_interruptible_there = true;
  run_apart([&] {
    there = std::this_thread::get_id();
    is_interruptible_there = is_interruptible();
  });
  EXPECT_NE(there, std::this_thread::get_id());
  EXPECT_FALSE(is_interruptible_there);
}

TEST(RunApart, throws_what_the_work_throws) {
  try {
    run_apart([] { fail(Code::kInvalid, "work", "law", "is wrong"); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "work: is wrong [work.law]");
  }
}

TEST(RunApart, an_interrupt_leaves_the_work_behind) {
  struct State {
    std::atomic<bool> may_end{false}, has_ended{false}, was_stopped{false};
  };
  const auto state = std::make_shared<State>();
  set_interrupt_poll([] { return true; });
  try {
    run_apart([state] {
      while (!state->may_end.load()) std::this_thread::yield();  // deaf
      try {
        poll_interrupt();
      } catch (const Error& error) {
        state->was_stopped = error.code == Code::kInterrupted;
      }
      state->has_ended = true;
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code, Code::kInterrupted);
  }
  set_interrupt_poll(nullptr);
  EXPECT_FALSE(state->has_ended.load());
  state->may_end = true;
  while (!state->has_ended.load()) std::this_thread::yield();
  EXPECT_TRUE(state->was_stopped.load());  // once it asks, it learns that nobody waits
}

}  // namespace
}  // namespace weft
