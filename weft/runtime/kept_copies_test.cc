// Packed copies that products keep with weights: plans find them, updates in place drop them, and
// loops that rewrite what they carry keep none.
#include "weft/core/kept_copy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "weft/base/test_threads.h"
#include "weft/weft.h"

namespace weft {
namespace {

constexpr int64_t kSize = 64;

Tensor numbers(Shape shape, int seed) {
  const Tensor out = Tensor::empty(DType::kF32, shape);
  auto* const to = static_cast<float*>(out.writable_data());
  for (int64_t i = 0; i < out.numel(); ++i) {
    to[i] = static_cast<float>((i * 37 + seed) % 101) / 51 - 1;
  }
  return out;
}

// By a copy of the weights, which has no kept copies.
std::string print_of_linear(const Tensor& x, const Tensor& w) {
  return fingerprint(nn::linear(x, w + 0.0f, {}));
}

TEST(KeptCopies, PlansFindThoseOfConstantsAndVariables) {
  const NoGrad off;
  const Tensor x = numbers({1, kSize}, 1), w = numbers({kSize, kSize}, 2);
  const Variable v(numbers({kSize, kSize}, 3));
  const auto of_constant = function([&](const Tensor& a) { return nn::linear(a, w, {}); });
  const auto of_variable = function([&](const Tensor& a) { return nn::linear(a, v, {}); });
  const auto of_argument =
      function([&](const Tensor& a, const Tensor& b) { return nn::linear(a, b, {}); });
  const Tensor given = numbers({kSize, kSize}, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(fingerprint(of_constant(x)), print_of_linear(x, w));
    EXPECT_EQ(fingerprint(of_variable(x)), print_of_linear(x, v.value()));
    EXPECT_EQ(fingerprint(of_argument(x, given)), print_of_linear(x, given));
  }
  EXPECT_EQ(kept_copies_of(w), 1);
  EXPECT_EQ(kept_copies_of(v.value()), 1);
  EXPECT_EQ(kept_copies_of(given), 1);
}

TEST(KeptCopies, DroppedByAnUpdateInPlace) {
  const NoGrad off;
  const Tensor x = numbers({1, kSize}, 1), term = numbers({kSize, kSize}, 5);
  const Variable v(numbers({kSize, kSize}, 3));
  const auto f = function([&](const Tensor& a) { return nn::linear(a, v, {}); });
  v.assign_add(term);  // its memory is its own from here on
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) f(x);
    EXPECT_EQ(kept_copies_of(v.value()), 1);
    const void* const memory = v.value().data();
    v.assign_add(term);
    EXPECT_EQ(v.value().data(), memory);
    EXPECT_EQ(kept_copies_of(v.value()), 0);
    EXPECT_EQ(fingerprint(f(x)), print_of_linear(x, v.value()));
  }
}

// A step uses its weights once as they are: nothing is kept, and memory does not grow.
TEST(KeptCopies, NoneInTraining) {
  const Tensor x = numbers({8, kSize}, 1);
  const Variable v(numbers({kSize, kSize}, 3)), w(numbers({kSize, kSize}, 4));
  optim::SGD sgd({v, w}, {.lr = 0.001});
  const auto step = function([&](const Tensor& a) {
    return sgd.minimize(
        [&] { return mean(square(nn::linear(tanh(nn::linear(a, v, {})), w, {}))); });
  });
  for (int i = 0; i < 3; ++i) step(x);
  const int64_t before = memory_stats().live;
  for (int i = 0; i < 20; ++i) {
    step(x);
    EXPECT_EQ(kept_copies_of(v.value()), 0);
    EXPECT_EQ(kept_copies_of(w.value()), 0);
  }
  EXPECT_EQ(memory_stats().live, before);
}

// What a loop carries changes in memory that stays: a copy of it would be that of an earlier step.
TEST(KeptCopies, LoopsReadWhatTheyCarryAnew) {
  const NoGrad off;
  const Tensor x = numbers({2, kSize}, 1), image = numbers({1, 8, 9, 9}, 1);
  const auto more = [](const Tensor& i, const Tensor&, const Tensor&, const Tensor&) {
    return i < 9;
  };
  const auto body = [&](const Tensor& i, const Tensor& w, const Tensor& taps, const Tensor& sum) {
    const Tensor y = nn::linear(x, w, {}), z = nn::conv2d(image, taps, {}, {.padding = {1}});
    return std::tuple(i + 1, w * 0.75f, taps * 0.5f, sum + mean(y) + mean(z));
  };
  const Tensor w = numbers({kSize, kSize}, 2), taps = numbers({16, 8, 3, 3}, 3);
  const auto looped = function([&](const Tensor& w0, const Tensor& taps0) {
    return std::get<3>(while_loop(more, body, std::tuple(tensor(0), w0, taps0, tensor(0.0f))));
  });
  const auto scanned = function([&](const Tensor& w0, const Tensor& taps0) {
    const auto step = [&](const std::tuple<Tensor, Tensor, Tensor>& carry, const Tensor& row) {
      const auto [a, b, sum] = carry;
      const auto [i, a1, b1, sum1] = body(row, a, b, sum);
      return std::pair(std::tuple(a1, b1, sum1), sum1);
    };
    return std::get<2>(scan(step, std::tuple(w0, taps0, tensor(0.0f)), arange(9)).first);
  });
  std::tuple<Tensor, Tensor, Tensor, Tensor> now(tensor(0), w, taps, tensor(0.0f));
  for (int i = 0; i < 9; ++i) now = std::apply(body, now);
  EXPECT_EQ(fingerprint(looped(w, taps)), fingerprint(std::get<3>(now)));
  EXPECT_EQ(fingerprint(scanned(w, taps)), fingerprint(std::get<3>(now)));
}

// Readers that run while others assign and update: each result is that of one of the values.
TEST(KeptCopies, ReadersSeeWholeValues) {
  const Tensor x = numbers({1, kSize}, 1);
  const Variable v(numbers({kSize, kSize}, 0) * 0.0f);
  const auto f = function([&](const Tensor& a) { return nn::linear(a, v, {}); });
  const Tensor one = numbers({kSize, kSize}, 7);
  std::vector<std::string> allowed;
  Tensor value = v.value();
  for (int i = 0; i < 40; ++i) {
    allowed.push_back(print_of_linear(x, value));
    value = value + one;
  }
  value = Tensor();
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    const NoGrad off;
    if (t == 0) {
      for (int i = 1; i < 40; ++i) {
        v.assign_add(one);
        for (int k = 0; k < 5; ++k) std::this_thread::yield();
      }
      return;
    }
    for (int i = 0; i < 100; ++i) {
      const std::string print = fingerprint(f(x));
      wrong += std::ranges::find(allowed, print) == allowed.end() ? 1 : 0;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace weft
