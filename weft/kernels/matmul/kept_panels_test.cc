// Panels of a small transposed factor are kept with it from the second call on: the same bits, also
// from several threads.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <vector>

#include "weft/base/cpu.h"
#include "weft/base/test_threads.h"
#include "weft/base/thread_pool.h"
#include "weft/core/kept_copy.h"
#include "weft/core/native.h"
#include "weft/kernels/bind.h"

namespace weft::kernels {
namespace {

template <class T>
constexpr DType dtype_of() {
  return std::is_same_v<T, float>    ? DType::kF32
         : std::is_same_v<T, double> ? DType::kF64
                                     : DType::kI32;
}

template <class T>
Tensor numbers(ShapeView shape, int seed) {
  const Tensor out = Tensor::empty(dtype_of<T>(), shape);
  auto* const to = static_cast<T*>(out.writable_data());
  for (int64_t i = 0; i < out.numel(); ++i) {
    to[i] = static_cast<T>((i * 37 + seed) % 101) / static_cast<T>(7) - static_cast<T>(5);
  }
  return out;
}

// [n, k] seen as [k, n].
Tensor turned(const Tensor& w) {
  return w.view(Shape{w.dim(1), w.dim(0)}, Ints{1, w.strides()[0]});
}

// Memory of others, of which nothing is kept.
Tensor borrowed(const Tensor& w) {
  return Tensor::borrow(const_cast<void*>(w.data()), w.dtype(), w.shape(), w.strides(), nullptr,
                        nullptr, true);
}

std::vector<char> product_of(const Tensor& x, const Tensor& b) {
  const Tensor c = Tensor::empty(x.dtype(), Shape{x.dim(0), b.dim(1)});
  native::matmul(c, x, b);
  std::vector<char> out(static_cast<size_t>(c.numel() * size_of(c.dtype())));
  std::memcpy(out.data(), c.data(), out.size());
  return out;
}

class KeptPanels : public testing::Test {
 protected:
  void SetUp() override { bind_native(); }
};

// Rows, columns and steps around the sizes of tiles, vectors and chains.
template <class T>
void compare_sizes() {
  for (const int64_t m : {1, 2, 15, 32}) {
    for (const int64_t n : {2, 7, 8, 16, 17, 33, 64, 100}) {
      for (const int64_t k : {9, 64, 100, 512, 513, 600}) {
        const Tensor x = numbers<T>(Shape{m, k}, 1), w = numbers<T>(Shape{n, k}, 2);
        const std::vector<char> wanted = product_of(x, borrowed(turned(w)));
        for (int i = 0; i < 3; ++i) {
          ASSERT_EQ(product_of(x, turned(w)), wanted) << m << " " << n << " " << k << " call " << i;
        }
        // Two columns fill a panel of more than four times their memory on some tiers.
        const bool is_kept = n * k * int64_t{sizeof(T)} > kInlineBytes && n > 2;
        EXPECT_TRUE(!is_kept || kept_copies_of(w) == 1) << m << " " << n << " " << k;
      }
    }
  }
}

TEST_F(KeptPanels, TheSameBitsOnEveryTier) {
  const Isa best = current_isa();
  for (int tier = 0; tier <= static_cast<int>(best_isa()); ++tier) {
    set_isa_for_testing(static_cast<Isa>(tier));
    compare_sizes<float>();
    compare_sizes<double>();
    compare_sizes<int32_t>();
  }
  set_isa_for_testing(best);
}

// Parts of the rows and of the columns: each has its own copy.
TEST_F(KeptPanels, ViewsHaveTheirOwn) {
  const Tensor all = numbers<float>(Shape{48, 40}, 3), x = numbers<float>(Shape{3, 32}, 1);
  for (const int64_t first : {0, 16}) {
    for (const int64_t step : {0, 8}) {
      for (const int64_t n : {16, 32}) {
        const Tensor w = all.view(Shape{32, n}, Ints{1, 40}, first * 40 + step);
        for (int i = 0; i < 3; ++i) EXPECT_EQ(product_of(x, w), product_of(x, borrowed(w)));
      }
    }
  }
  EXPECT_GE(kept_copies_of(all), 4);
}

TEST_F(KeptPanels, NothingIsKeptOfLargeOnesOrForManyRows) {
  const Tensor large = numbers<float>(Shape{260, 256}, 3);
  const Tensor x = numbers<float>(Shape{1, 256}, 1);
  for (int i = 0; i < 3; ++i) product_of(x, turned(large));
  EXPECT_EQ(kept_copies_of(large), 0);
  const Tensor w = numbers<float>(Shape{64, 64}, 3), rows = numbers<float>(Shape{1000, 64}, 1);
  for (int i = 0; i < 3; ++i) product_of(rows, turned(w));
  EXPECT_EQ(kept_copies_of(w), 0);
}

TEST_F(KeptPanels, FreedWithTheBuffer) {
  const Tensor x = numbers<float>(Shape{1, 64}, 1);
  const auto use = [&] {
    const Tensor w = numbers<float>(Shape{64, 64}, 2);
    for (int i = 0; i < 3; ++i) product_of(x, turned(w));
    EXPECT_EQ(kept_copies_of(w), 1);
  };
  use();
  const int64_t before = memory_stats().live;
  use();
  EXPECT_EQ(memory_stats().live, before);
}

TEST_F(KeptPanels, NothingIsKeptOfWhatOthersMayWrite) {
  const Tensor x = numbers<float>(Shape{2, 64}, 1), w = numbers<float>(Shape{64, 64}, 2);
  for (int i = 0; i < 3; ++i) product_of(x, turned(w));
  mark_exported(w);
  static_cast<float*>(w.writable_data())[5] = 7;  // as the others could
  EXPECT_EQ(product_of(x, turned(w)), product_of(x, borrowed(turned(w))));
}

TEST_F(KeptPanels, NothingIsKeptOfWhatALoopRewrites) {
  const Tensor x = numbers<float>(Shape{2, 64}, 1), w = numbers<float>(Shape{64, 64}, 2);
  {
    const RewrittenMemory rewritten(Tensors{w});
    for (int i = 0; i < 4; ++i) {
      static_cast<float*>(w.writable_data())[5] += 1;
      EXPECT_EQ(product_of(x, turned(w)), product_of(x, borrowed(turned(w))));
    }
    EXPECT_EQ(kept_copies_of(w), 0);
  }
  for (int i = 0; i < 2; ++i) product_of(x, turned(w));
  EXPECT_EQ(kept_copies_of(w), 1);
}

TEST_F(KeptPanels, ThreadsShareOneCopy) {
  const Tensor x = numbers<float>(Shape{2, 64}, 1);
  for (int round = 0; round < 50; ++round) {
    const Tensor w = numbers<float>(Shape{64, 64}, round);
    const std::vector<char> wanted = product_of(x, borrowed(turned(w)));
    std::atomic<int> wrong{0};
    on_threads([&](int) {
      for (int i = 0; i < 4; ++i) {
        if (product_of(x, turned(w)) != wanted) ++wrong;
      }
    });
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(kept_copies_of(w), 1);
  }
}

}  // namespace
}  // namespace weft::kernels
