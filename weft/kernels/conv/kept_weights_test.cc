// Packed weights are kept with the weights from the second call on: the same bits, also from
// several threads.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <vector>

#include "weft/base/cpu.h"
#include "weft/base/test_threads.h"
#include "weft/base/thread_pool.h"
#include "weft/core/kept_copy.h"
#include "weft/kernels/conv/bind.h"
#include "weft/kernels/conv/conv.h"

namespace weft::kernels {
namespace {

Tensor numbers(ShapeView shape, int seed) {
  const Tensor out = Tensor::empty(DType::kF32, shape);
  auto* const to = static_cast<float*>(out.writable_data());
  for (int64_t i = 0; i < out.numel(); ++i) {
    to[i] = static_cast<float>((i * 7 + seed) % 31) / 16 - 1;
  }
  return out;
}

ConvWindow window_of(int64_t stride, int64_t input_dilation, int64_t groups) {
  return {{stride, stride}, {1, 1}, {1, 1}, {input_dilation, input_dilation}, groups};
}

std::vector<float> conv_of(const Tensor& x, const Tensor& w, const ConvWindow& window) {
  const int64_t apart = window.input_dilation[0], taps = w.dim(0).value();
  const int64_t extent = (x.dim(1).value() - 1) * apart + 3 - taps;
  const int64_t size = extent / window.stride[0] + 1;
  const Tensor y = Tensor::empty(DType::kF32, Shape{x.dim(0), size, size, w.dim(3)});
  conv_tensor(y, x, w, window);
  return y.to_vector<float>();
}

// Memory of others, of which nothing is kept.
Tensor borrowed(const Tensor& w) {
  return Tensor::borrow(const_cast<void*>(w.data()), w.dtype(), w.shape(), w.strides(), nullptr,
                        nullptr, true);
}

// [filters, channels, 3, 3], read as [3, 3, channels, filters].
Tensor weights_of(int64_t filters, int64_t channels) {
  const Tensor w = numbers(Shape{filters, channels, 3, 3}, 3);
  return w.view(Shape{3, 3, channels, filters}, Ints{3, 1, 9, 9 * channels});
}

TEST(KeptWeights, KeptFromTheSecondCallOnWithTheSameBits) {
  const Tensor x = numbers(Shape{2, 9, 9, 24}, 1), w = weights_of(40, 24);
  const ConvWindow window = window_of(1, 1, 1);
  const std::vector<float> wanted = conv_of(x, borrowed(w), window);
  const int64_t before = weight_packings();
  EXPECT_EQ(conv_of(x, w, window), wanted);
  EXPECT_EQ(kept_copies_of(w), 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(conv_of(x, w, window), wanted);
  EXPECT_EQ(weight_packings(), before + 2);
  EXPECT_EQ(kept_copies_of(w), 1);
  for (int i = 0; i < 2; ++i) conv_of(x, borrowed(w), window);
  EXPECT_EQ(weight_packings(), before + 4);
}

// Windows of one tap are products, which keep nothing, unless they have few rows.
TEST(KeptWeights, SingleTapsOfFewRows) {
  const Tensor w = numbers(Shape{1, 1, 24, 160}, 2);
  ConvWindow window = window_of(1, 1, 1);
  window.low = {0, 0};
  for (const int64_t size : {3, 7, 20}) {
    const Tensor x = numbers(Shape{1, size, size, 24}, 1);
    const Tensor y = Tensor::empty(DType::kF32, Shape{1, size, size, 160});
    const auto run = [&](const Tensor& weights) {
      conv_tensor(y, x, weights, window);
      return y.to_vector<float>();
    };
    const std::vector<float> wanted = run(borrowed(w));
    EXPECT_EQ(run(w), wanted);
    EXPECT_EQ(run(w), wanted);
    EXPECT_EQ(kept_copies_of(w), size == 3 ? 0 : 1);
  }
}

TEST(KeptWeights, DepthwiseToo) {
  const Tensor x = numbers(Shape{1, 9, 9, 64}, 1);
  const Tensor w = numbers(Shape{3, 3, 1, 64}, 2);
  for (const int64_t stride : {1, 2}) {
    const ConvWindow window = window_of(stride, 3 - stride, 64);
    const std::vector<float> wanted = conv_of(x, borrowed(w), window);
    for (int i = 0; i < 2; ++i) conv_of(x, w, window);
    const int64_t before = weight_packings();
    EXPECT_EQ(conv_of(x, w, window), wanted);
    EXPECT_EQ(weight_packings(), before);
  }
}

// A copy serves only what it was made for: each of these has one of its own.
TEST(KeptWeights, ViewsAndTiersAreTold) {
  const Tensor x = numbers(Shape{2, 8, 8, 16}, 1), all = numbers(Shape{64, 16, 3, 3}, 5);
  const ConvWindow window = window_of(1, 1, 1);
  const Isa best = current_isa();
  int64_t copies = 0;
  for (int tier = 0; tier <= static_cast<int>(best_isa()); ++tier) {
    set_isa_for_testing(static_cast<Isa>(tier));
    for (const int64_t first : {0, 32}) {
      for (const int64_t filters : {16, 32}) {
        const Tensor w = all.view(Shape{3, 3, 16, filters}, Ints{3, 1, 9, 144}, first * 144);
        const Tensor turned =
            all.view(Shape{3, 3, 16, filters}, Ints{-3, -1, 9, 144}, first * 144 + 8);
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(conv_of(x, w, window), conv_of(x, borrowed(w), window));
          EXPECT_EQ(conv_of(x, turned, window), conv_of(x, borrowed(turned), window));
        }
        copies += 2;
      }
    }
  }
  set_isa_for_testing(best);
  EXPECT_LE(kept_copies_of(all), copies);
  EXPECT_GE(kept_copies_of(all), 4);
}

// Many views of one buffer, as of parameters that lie side by side: memory stays bounded.
TEST(KeptWeights, MemoryIsBounded) {
  const Tensor x = numbers(Shape{1, 5, 5, 8}, 1), all = numbers(Shape{100, 3, 3, 8, 8}, 5);
  const ConvWindow window = window_of(1, 1, 1);
  for (int64_t i = 0; i < 100; ++i) {
    const Tensor w = all.view(Shape{3, 3, 8, 8}, Ints{192, 64, 8, 1}, i * 576);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(conv_of(x, w, window), conv_of(x, borrowed(w), window));
    }
  }
  EXPECT_LE(kept_copies_of(all), 16);
  EXPECT_GE(kept_copies_of(all), 2);
}

TEST(KeptWeights, FreedWithTheBuffer) {
  const Tensor x = numbers(Shape{1, 5, 5, 64}, 1);
  const ConvWindow window = window_of(1, 1, 1);
  conv_of(x, weights_of(64, 64), window);
  const int64_t before = memory_stats().live;
  conv_of(x, weights_of(64, 64), window);
  EXPECT_EQ(memory_stats().live, before);
}

TEST(KeptWeights, NothingIsKeptOfWhatOthersMayWrite) {
  const Tensor x = numbers(Shape{1, 5, 5, 16}, 1), w = weights_of(32, 16);
  const ConvWindow window = window_of(1, 1, 1);
  for (int i = 0; i < 2; ++i) conv_of(x, w, window);
  mark_exported(w);
  static_cast<float*>(w.writable_data())[0] = 5;  // as the others could
  const int64_t before = weight_packings();
  EXPECT_EQ(conv_of(x, w, window), conv_of(x, borrowed(w), window));
  EXPECT_EQ(weight_packings(), before + 2);
}

TEST(KeptWeights, ThreadsShareOneCopy) {
  const int threads_before = num_threads();
  set_num_threads(2);
  const Tensor x = numbers(Shape{1, 7, 7, 32}, 1);
  for (int round = 0; round < 20; ++round) {
    const Tensor w = weights_of(32, 32);
    const ConvWindow window = window_of(1, 1, 1);
    const std::vector<float> wanted = conv_of(x, borrowed(w), window);
    std::atomic<int> wrong{0};
    on_threads([&](int) {
      for (int i = 0; i < 3; ++i) {
        if (conv_of(x, w, window) != wanted) ++wrong;
      }
    });
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(kept_copies_of(w), 1);
  }
  set_num_threads(threads_before);
}

}  // namespace
}  // namespace weft::kernels
