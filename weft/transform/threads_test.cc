// Threads: tapes recorded side by side, sweeps over disjoint graphs, Variables that are shared. The
// thread sanitizer watches these.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "weft/base/test_threads.h"
#include "weft/weft.h"

namespace weft {
namespace {

constexpr int kRounds = 50;

Tensor scalar(double value) { return Tensor::scalar(DType::kF32, value); }

TEST(Threads, RecordTapesAtTheSameTime) {
  const Variable shared(scalar(3));
  std::vector<double> slopes(kTestThreads), taped(kTestThreads);
  on_threads([&](int t) {
    for (int round = 0; round < kRounds; ++round) {
      const Variable own(scalar(t + 1));
      backward(own * own * 2.0);
      slopes[t] = own.grad().value().item();
      GradientTape tape;
      const Tensor y = shared * shared * own;
      tape.stop();
      taped[t] = tape.gradient(y, shared).item();
    }
  });
  for (int t = 0; t < kTestThreads; ++t) {
    EXPECT_EQ(slopes[t], 4.0 * (t + 1));
    EXPECT_EQ(taped[t], 6.0 * (t + 1));
  }
}

TEST(Threads, BackwardOnDisjointGraphsAddsToSharedVariables) {
  const Variable shared(ones({64}));
  std::vector<Tensor> losses;
  for (int t = 0; t < kTestThreads; ++t) losses.push_back(sum(shared * (t + 1.0)));
  on_threads([&](int t) { backward(losses[t]); });
  EXPECT_EQ(shared.grad().value().to_vector<float>(), std::vector<float>(64, 10));
}

// The graphs meet in one record, which both sweeps need and neither frees.
TEST(Threads, BackwardThroughASharedRecord) {
  const Variable x(scalar(2));
  const Tensor common = x * x;
  std::vector<Tensor> losses;
  for (int t = 0; t < kTestThreads; ++t) losses.push_back(common * (t + 1.0));
  on_threads([&](int t) { backward(losses[t], {.retain_graph = true}); });
  EXPECT_EQ(x.grad().value().item(), 40);
}

TEST(Threads, TransformationsNestOnEveryThread) {
  const auto cube = [](const Tensor& x) { return x * x * x; };
  const Tensor batch = tensor({1.0f, 2.0f, 3.0f});
  std::atomic<int> right{0};
  on_threads([&](int) {
    for (int round = 0; round < kRounds; ++round) {
      right += vmap(grad(grad(cube)))(batch).to_vector<float>() == std::vector<float>{6, 12, 18};
      right += jvp(grad(checkpoint(cube)), scalar(2), scalar(1)).second.item() == 12;
    }
  });
  EXPECT_EQ(right, 2 * kTestThreads * kRounds);
}

TEST(Threads, AssignAddLosesNothing) {
  const Variable total(zeros({100}));
  on_threads([&](int) {
    for (int round = 0; round < kRounds; ++round) total.assign_add(ones({100}));
  });
  EXPECT_EQ(total.value().to_vector<float>(), std::vector<float>(100, kTestThreads * kRounds));
}

// A reader sees one value or the other, never a mixture, whoever writes how.
TEST(Threads, ReadersSeeWholeValues) {
  const Variable x(zeros({256}));
  std::atomic<int> mixtures{0};
  on_threads([&](int t) {
    for (int round = 0; round < kRounds; ++round) {
      if (t == 0) x.assign(full({256}, static_cast<double>(round)));
      if (t == 1) x.assign_add(ones({256}));
      const std::vector<float> seen = (t % 2 == 0 ? x.value() : x.read() * 1.0).to_vector<float>();
      mixtures += seen != std::vector<float>(256, seen[0]);
    }
  });
  EXPECT_EQ(mixtures, 0);
}

// A reader between the two halves of an assign_add must not leave its leaf behind.
TEST(Threads, ReadsAreNeverStale) {
  const Variable x(zeros({8}));
  std::atomic<int> stale{0};
  on_threads([&](int t) {
    for (int round = 0; round < kRounds; ++round) {
      if (t == 0) x.assign_add(ones({8}));
      if (t != 0) x.read();
      if (t == 0) stale += (x.read() * 1.0).to_vector<float>()[0] != static_cast<float>(round + 1);
    }
  });
  EXPECT_EQ(stale, 0);
}

TEST(Threads, AnOptimizerStepsWhileOthersCompute) {
  const Variable weight(ones({32}), {.name = "weight"});
  optim::Adam optimizer({weight}, {.lr = 0.01});
  std::atomic<int> mixtures{0};
  on_threads([&](int t) {
    for (int round = 0; round < kRounds; ++round) {
      if (t == 0) {
        optimizer.zero_grad();
        backward(sum(weight * weight));
        optimizer.step();
        continue;
      }
      const std::vector<float> seen = (weight * 2.0).to_vector<float>();
      mixtures += seen != std::vector<float>(32, seen[0]);
    }
  });
  EXPECT_EQ(mixtures, 0);
  EXPECT_LT(weight.value().to_vector<float>()[0], 1.0f);
}

TEST(Threads, HooksAreSharedAndRemovedAtAnyTime) {
  const Variable x(scalar(1));
  std::atomic<int> calls{0};
  on_threads([&](int t) {
    for (int round = 0; round < kRounds; ++round) {
      if (t == 0) {
        HookHandle handle = register_hook(x, [&](const Tensor&) { return ++calls, Tensor(); });
        handle.remove();
        continue;
      }
      const Tensor y = x * 2.0;
      register_hook(y, [](const Tensor& g) { return g * 1.0; });
      backward(y);
    }
  });
  EXPECT_EQ(x.grad().value().item(), 2 * (kTestThreads - 1) * kRounds);
}

// The values of a tape may be used up on another thread than they were made on.
TEST(Threads, ATapeIsHandedOn) {
  const Variable x(scalar(2));
  for (int round = 0; round < kRounds; ++round) {
    Tensor y = x.read();
    std::thread([&] { y = y * y; }).join();
    x.clear_grad();
    std::thread([&] { backward(y); }).join();
    ASSERT_EQ(x.grad().value().item(), 4);
    std::thread([gone = std::move(y)] {}).join();
  }
}

}  // namespace
}  // namespace weft
