// Runs on several threads that write one Variable: nothing is lost.
#include <gtest/gtest.h>

#include <thread>

#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/runtime/function.h"
#include "weft/runtime/session.h"

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

}  // namespace
}  // namespace weft
