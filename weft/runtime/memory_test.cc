// The size of the process stays what it was, however many calls of however many sizes there are.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>

#include "weft/base/test_memory.h"
#include "weft/weft.h"

namespace weft {
namespace {

// 100,000 calls with random batch sizes leave the process within 5 % of its size after the first
// 1,000. What earlier tests left behind is given back first: new memory could hide in it.
template <class Call>
void expect_flat(const Call& call) {
  trim_memory();
  malloc_trim(0);
  const bool is_long = std::getenv("WEFT_LONG") != nullptr;
  const int count = WEFT_HAS_SANITIZER ? 2'000 : is_long ? 5'000'000 : 100'000;
  uint64_t state = 1;
  double after_first = 0;
  for (int i = 0; i < count; ++i) {
    if (i == 1000) after_first = static_cast<double>(resident_bytes());
    state = state * 6364136223846793005u + 1442695040888963407u;
    call(2 + static_cast<int64_t>(state >> 33) % 500);
  }
  if (WEFT_HAS_SANITIZER) return;
  EXPECT_GT(after_first, 1e6);  // it is a process
  EXPECT_LE(static_cast<double>(resident_bytes()), 1.05 * after_first)
      << "after " << count << " calls";
}

// All rows, of which a call takes the first ones.
Tensor rows(int64_t count) {
  static const Tensor all = random::normal(random::Key(1), {502, 4});
  return slice(all, {{.start = 0, .stop = count}});
}

TEST(Memory, of_a_function_that_trains) {
  const Variable w(ones({4, 3}), {.name = "w"});
  const auto step = function([&](const Tensor& x) {
    const auto loss = [&](const Tensor& now) { return mean(square(tanh(matmul(x, now)))); };
    const auto [value, slope] = value_and_grad(loss)(w.read());
    w.assign_sub(slope * 0.01);
    return value;
  });
  expect_flat([&](int64_t batch) { step(rows(batch)); });
  EXPECT_EQ(step.trace_count(), 1u);
}

TEST(Memory, of_a_session) {
  const Graph graph;
  {
    const Graph::Scope scope(graph);
    const Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("n"), 4}, "x");
    graph.identity(sum(tanh(matmul(x, ones({4, 3})))), "loss");
  }
  const Session session(graph);
  const SessionCallable loss = session.make_callable({"loss"}, {"x"});
  expect_flat([&](int64_t batch) { loss(rows(batch)); });
  EXPECT_EQ(session.counters().compiled, 1);
}

}  // namespace
}  // namespace weft
