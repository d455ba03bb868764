// Runs on several threads that write one Variable: nothing is lost.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/key.h"
#include "weft/runtime/function.h"
#include "weft/runtime/session.h"
#include "weft/runtime/writing.h"

namespace weft {
namespace {

constexpr int kThreads = 4, kRuns = 50;

template <class F>
void on_threads(F run) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kRuns; ++k) run();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Writing, functions_take_turns) {
  const Variable count(Tensor::scalar(DType::kF32, 0));
  const auto step = function([&](const Tensor& x) {
    count.assign_add(Tensor::scalar(DType::kF32, 1));
    return exp(sin(x));
  });
  const Tensor x = ones({2000});
  on_threads([&] { step(x); });
  EXPECT_EQ(count.value().item(), kThreads * kRuns);
}

TEST(Writing, sessions_take_turns) {
  const Variable count(Tensor::scalar(DType::kF32, 0));
  const Graph graph;
  const Tensor next = graph.assign_add(count, Tensor::scalar(DType::kF32, 1));
  const Session session(graph);
  on_threads([&] { session.run({next}); });
  EXPECT_EQ(count.value().item(), kThreads * kRuns);
}

TEST(Writing, a_run_does_not_wait_for_itself) {
  const int place = 0;
  const Writing outer(written_bit(&place));
  const Writing inner(written_bit(&place));
  SUCCEED();
}

TEST(Writing, no_variable_shares_the_bit_of_the_generator) {
  for (uintptr_t address = 0; address < 100'000; address += 8) {
    EXPECT_NE(written_bit(reinterpret_cast<const void*>(address)), kGeneratorBit);
  }
}

// As a traced map of a dataset does while a training step runs.
TEST(Writing, draws_of_an_own_generator_wait_for_nobody) {
  const auto noisy = function([](const Tensor& x) { return x + weft::rand({3}); });
  const Tensor x = ones({3});
  noisy(x);  // traced
  std::future<void> drawn;
  bool is_done = false;
  {
    const Writing step(~WrittenSet{0});
    drawn = std::async(std::launch::async, [&] {
      random::GeneratorState own{7, 0};
      const random::DrawsFrom from(own);
      noisy(x);
      EXPECT_EQ(own.draws, 1u);
    });
    is_done = drawn.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  }
  EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace weft
