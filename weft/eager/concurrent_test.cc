// Ops from several threads at once: first use, shared tensors and views, errors, a pool that
// changes its size. The thread sanitizer watches this program; the values catch what it does not.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "weft/base/error.h"
#include "weft/base/test_threads.h"
#include "weft/base/thread_pool.h"
#include "weft/weft.h"

namespace weft {
namespace {

std::vector<float> floats(const Tensor& x) { return x.to_vector<float>(); }

class EagerThreads : public testing::Test {
 protected:
  ~EagerThreads() override { set_num_threads(before_); }
  const int before_ = num_threads();
};

// The registry, the table of kernels and each op's cache are made by whoever comes first. This test
// must be the first of the program to use an op.
TEST_F(EagerThreads, FirstUse) {
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    const Tensor x = full({8}, 1.0 + t, DType::kF32);
    const Tensor y = softmax(exp(x) + x * 2.0);
    if (std::abs(sum(y).item() - 1) > 1e-6) ++wrong;
    if (sum(cast(arange(100), DType::kF32)).item() != 4950) ++wrong;
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(EagerThreads, SharedTensorsAndViews) {
  set_num_threads(2);
  const Tensor x = reshape(cast(arange(300 * 200), DType::kF32), {300, 200});
  const Tensor transposed = permute_dims(x, {1, 0});
  const std::vector<float> rows = floats(sum(x, Ints{1})),
                           doubled = floats(transposed + transposed);
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    for (int i = 0; i < 20; ++i) {
      const Tensor view = t % 2 == 0 ? permute_dims(transposed, {1, 0}) : x;
      if (floats(sum(view, Ints{1})) != rows) ++wrong;
      if (floats(transposed + transposed) != doubled) ++wrong;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

// Tensors made on one thread die on another: nodes and buffers cross free lists.
TEST_F(EagerThreads, TensorsChangeHands) {
  std::vector<std::atomic<TensorNode*>> hands(64);
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    for (int i = 0; i < 400; ++i) {
      Tensor made = full({i % 7 == 0 ? 5000 : i % 50 + 1}, 3.0, DType::kF32) * 1.0;
      if (i % 3 == 0) made = slice(made, {{.start = 0, .stop = 1}});
      TensorNode* const before =
          hands[static_cast<size_t>((i * 7 + t) % 64)].exchange(made.give_up());
      if (before == nullptr) continue;
      const Tensor taken = Tensor::adopt(before);
      if (floats(taken)[0] != 3.0f) ++wrong;
    }
  });
  for (std::atomic<TensorNode*>& hand : hands) Tensor::adopt(hand.exchange(nullptr));
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(EagerThreads, ErrorsInParallel) {
  const Tensor a = zeros({2, 3}), b = zeros({4});
  const std::string wanted =
      "add: shapes [2, 3] and [4] do not broadcast: axis -1 has size 3 and 4; sizes must be equal "
      "or "
      "1 [add.broadcast]";
  std::atomic<int> right{0};
  on_threads([&](int) {
    for (int i = 0; i < 50; ++i) {
      try {
        add(a, b);
      } catch (const Error& error) {
        const std::string what = error.what();
        if (what.substr(0, what.find('\n')) == wanted) ++right;
      }
    }
  });
  EXPECT_EQ(right.load(), 50 * kTestThreads);
}

// Indices are found to be wrong inside tiles: what a worker throws reaches its own caller.
TEST_F(EagerThreads, ErrorsFromWorkers) {
  set_num_threads(3);
  const Tensor x = zeros({50000, 4}), good = zeros({50000}, DType::kI64), bad = good + 50000;
  std::atomic<int> raised{0}, done{0};
  on_threads([&](int t) {
    for (int i = 0; i < 5; ++i) {
      try {
        const Tensor out = take(x, t % 2 == 0 ? good : bad, 0);
        if (out.dim(0) == Dim(50000)) ++done;
      } catch (const Error& error) {
        if (error.law == "range") ++raised;
      }
    }
  });
  EXPECT_EQ(done.load(), 5 * kTestThreads / 2);
  EXPECT_EQ(raised.load(), 5 * kTestThreads / 2);
}

TEST_F(EagerThreads, ThePoolChangesItsSizeMeanwhile) {
  const Tensor x = reshape(cast(arange(400 * 300), DType::kF64), {400, 300});
  const double total = sum(x).item();
  const std::vector<double> columns = sum(x, Ints{0}).to_vector<double>();
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    for (int i = 0; i < 15; ++i) {
      if (t == 0) set_num_threads(1 + i % 4);
      if (sum(x).item() != total) ++wrong;
      if (sum(x + 0.0, Ints{0}).to_vector<double>() != columns) ++wrong;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(EagerThreads, OneDefaultGenerator) {
  std::atomic<int> wrong{0};
  const random::Key key(7);
  const std::vector<float> wanted = floats(random::uniform(key, {1000}));
  on_threads([&](int) {
    for (int i = 0; i < 10; ++i) {
      if (floats(random::uniform(key, {1000})) != wanted) ++wrong;
      random::uniform(random::next_key(), {10});
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace weft
