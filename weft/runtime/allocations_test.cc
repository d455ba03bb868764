// A run of a plan asks the heap for nothing, however many ops or steps there are.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "weft/base/test_memory.h"
#include "weft/runtime/executable.h"
#include "weft/trace/trace.h"
#include "weft/weft.h"

#if !WEFT_HAS_SANITIZER  // which pairs its own new and delete

namespace {

std::atomic<int64_t> news{0};

}  // namespace

// The library's own calls arrive here, too. Inlined, g++ would take malloc and free for no pair.
[[gnu::noinline]] void* operator new(size_t bytes) {
  news.fetch_add(1, std::memory_order_relaxed);
  void* const out = std::malloc(bytes == 0 ? 1 : bytes);
  if (out == nullptr) throw std::bad_alloc();
  return out;
}
[[gnu::noinline]] void operator delete(void* data) noexcept { std::free(data); }
[[gnu::noinline]] void operator delete(void* data, size_t) noexcept { std::free(data); }

namespace weft {
namespace {

// How often a run of a function asks for memory, when it has been run before.
template <class Function>
int64_t news_in_run(const Function& f, const Tensors& in) {
  std::vector<TraceParameter> parameters;
  for (const Tensor& t : in) parameters.push_back({t.type(), "x", {}});
  const Trace trace = trace_flat(f, parameters, {.stands_alone = true});
  const Executable executable(*trace.function);
  const int64_t at_first = news.load();
  executable.run(in);
  EXPECT_GT(news.load(), at_first);  // it was planned: the library's calls are counted
  for (int round = 0; round < 2; ++round) executable.run(in);
  const int64_t before = news.load();
  executable.run(in);
  return news.load() - before;
}

Tensors two_matrices() {
  const Tensor x = random::normal(random::Key(1), {8, 8});
  return {x, random::normal(random::Key(2), {8, 8})};
}

// Few ops, and many, one after the other.
template <class Body>
void expect_none_per_op(const Body& body) {
  const auto news_of = [&](int depth) {
    const auto chain = [&](TensorSpan in) {
      Tensor x = in[0];
      for (int i = 0; i < depth; ++i) x = body(x, in[1]);
      return Tensors{x};
    };
    return news_in_run(chain, two_matrices());
  };
  const int64_t few = news_of(2), many = news_of(40);
  EXPECT_EQ(few, 0);
  EXPECT_EQ(many, 0);
}

TEST(Allocations, none_per_elementwise_op) {
  expect_none_per_op([](const Tensor& x, const Tensor& y) { return tanh(x) * y + x; });
}
TEST(Allocations, none_per_product) {
  expect_none_per_op([](const Tensor& x, const Tensor& y) { return matmul(x, y) * 0.1; });
}
TEST(Allocations, none_per_op_over_rows) {
  expect_none_per_op([](const Tensor& x, const Tensor& y) { return softmax(x) - y; });
}
TEST(Allocations, none_per_reduction) {
  expect_none_per_op(
      [](const Tensor& x, const Tensor& y) { return x * sum(y * x, Ints{1}, /*keepdims=*/true); });
}

// The steps of a loop take their turns in the same memory.
TEST(Allocations, none_per_step) {
  const auto news_of = [](int64_t steps) {
    const auto loop = [&](TensorSpan in) {
      const auto step = [&](const Tensor&, const Tensor& x) { return tanh(matmul(x, in[1])); };
      return Tensors{fori_loop(0, steps, step, in[0])};
    };
    return news_in_run(loop, two_matrices());
  };
  const int64_t few = news_of(3), many = news_of(300);
  EXPECT_EQ(many, few);
}

}  // namespace
}  // namespace weft

#endif  // WEFT_HAS_SANITIZER
