// Scans against plain loops, with kernels written by hand.
#include "weft/kernels/scan.h"

#include <gtest/gtest.h>

#include "weft/base/thread_pool.h"
#include "weft/kernels/test_tensor.h"

namespace weft::kernels {
namespace {

using testing::row_of;
using testing::Sizes;
using testing::Strided;

// Sums of In as Out, with totals of type Total.
template <class Out, class In, class Total>
struct Sums {
  template <class Stored>
  static void scan(void* out, const void* in, int64_t n, int64_t rows, int64_t out_stride,
                   int64_t in_stride, void* totals) {
    for (int64_t r = 0; r < rows; ++r) {
      auto* const to = reinterpret_cast<Stored*>(static_cast<char*>(out) + r * out_stride);
      const auto* const from =
          reinterpret_cast<const In*>(static_cast<const char*>(in) + r * in_stride);
      Total& total = static_cast<Total*>(totals)[r];
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<Stored>(total += Total(from[i]));
    }
  }
  template <bool has_offset>
  static void step(void* const* p, const int64_t* s, int64_t n, int64_t rows, uint64_t) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < n; ++i) {
        const Total total = row_of<Total>(p, s, 2, r)[i] + Total(row_of<In>(p, s, 3, r)[i]);
        const Total offset = has_offset ? row_of<Total>(p, s, 4, r)[i] : Total(0);
        row_of<Out>(p, s, 0, r)[i] = static_cast<Out>(offset + total);
        row_of<Total>(p, s, 1, r)[i] = total;
      }
    }
  }
  static void offset(void* const* p, const int64_t* s, int64_t n, int64_t rows, uint64_t) {
    for (int64_t r = 0; r < rows; ++r) {
      const Total offset = row_of<Total>(p, s, 1, r)[0];
      for (int64_t i = 0; i < n; ++i)
        row_of<Out>(p, s, 0, r)[i] = static_cast<Out>(offset + row_of<Total>(p, s, 2, r)[i]);
    }
  }
  static void carry(void* const* p, const int64_t* s, int64_t n, int64_t rows, uint64_t) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < n; ++i)
        row_of<Total>(p, s, 0, r)[i] = row_of<Total>(p, s, 1, r)[i] + row_of<Total>(p, s, 2, r)[i];
    }
  }

  static ScanKernels kernels(bool in_blocks) {
    ScanKernels out;
    out.scan = scan<Out>;
    out.step = step<false>;
    out.total_item = sizeof(Total);
    out.ns_per_element = 2;
    if (!in_blocks) return out;
    out.totals = scan<Total>;
    out.offset = offset;
    out.carry = carry;
    out.offset_step = step<true>;
    return out;
  }
};

// The definition: from left to right, or in blocks whose offsets go from left to right.
template <class Out, class In, class Total>
Strided<Out> expected_sums(Strided<Out> out, Strided<In>& in, const Sizes& sizes, size_t axis,
                           bool in_blocks) {
  Sizes outer = sizes;
  outer[axis] = 1;
  testing::for_each_index(outer, [&](Sizes at) {
    Total total = 0, offset = 0;
    for (int64_t i = 0; i < sizes[axis]; ++i) {
      at[axis] = i;
      if (in_blocks && i > 0 && i % kScanBlock == 0) offset += total, total = 0;
      total += Total(in.at(at));
      out.at(at) = static_cast<Out>(offset + total);
    }
  });
  return out;
}

template <class Out, class In, class Total>
void check_scan(const Sizes& sizes, size_t axis, bool in_blocks, std::mt19937& random) {
  Strided<Out> out = random() % 3 ? Strided<Out>(sizes) : Strided<Out>(sizes, random, false);
  Strided<In> in = random() % 3 ? Strided<In>(sizes) : Strided<In>(sizes, random, true);
  for (In& value : in.memory()) {
    value = static_cast<In>(static_cast<double>(static_cast<int>(random() % 100) - 50) / 3);
  }
  const Strided<Out> expected = expected_sums<Out, In, Total>(out, in, sizes, axis, in_blocks);
  scan(Sums<Out, In, Total>::kernels(in_blocks), out.operand(), in.operand(),
       static_cast<int64_t>(axis));
  ASSERT_EQ(out.memory(), Strided<Out>(expected).memory())
      << text(sizes, " axis ", axis, " in blocks ", in_blocks);
}

class ScanTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_num_threads(GetParam()); }
  void TearDown() override { set_num_threads(before_); }
  int before_ = num_threads();
};
INSTANTIATE_TEST_SUITE_P(Threads, ScanTest, ::testing::Values(1, 2, 4));

TEST_P(ScanTest, AlongAnyAxis) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    const int rank = 1 + round % 5;
    const Sizes sizes = testing::random_sizes(random, rank, rank < 3 ? 70 : 8);
    const size_t axis = random() % sizes.size();
    check_scan<float, float, double>(sizes, axis, round % 2, random);
    check_scan<int64_t, int8_t, int64_t>(sizes, axis, round % 2, random);
  }
  for (const bool in_blocks : {false, true}) {
    check_scan<float, float, double>({0, 3}, 0, in_blocks, random);
    check_scan<float, float, double>({3, 0}, 0, in_blocks, random);
  }
}

TEST_P(ScanTest, LongRowsInBlocks) {
  std::mt19937 random(4);
  const Sizes all[] = {{512},     {513},     {1024},       {60000},   {3, 7000},    {7000, 3},
                       {1500, 9}, {9, 1500}, {1030, 4, 2}, {2, 1030}, {2, 1030, 60}};
  for (const Sizes& sizes : all) {
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      for (const bool in_blocks : {false, true}) {
        // Sums in f32 with totals in f32 show every other order.
        check_scan<float, float, float>(sizes, axis, in_blocks, random);
        check_scan<float, float, double>(sizes, axis, in_blocks, random);
      }
    }
  }
}

bool asked_to_stop() { return true; }

// A long row polls, on one thread too.
TEST_P(ScanTest, LongRowsAreInterrupted) {
  std::mt19937 random(5);
  for (const Sizes& sizes : {Sizes{300000}, Sizes{300000, 4}}) {
    for (const bool in_blocks : {false, true}) {
      Strided<float> out(sizes), in(sizes);
      const ScanKernels kernels = Sums<float, float, double>::kernels(in_blocks);
      set_interrupt_poll(asked_to_stop);
      EXPECT_ANY_THROW(scan(kernels, out.operand(), in.operand(), 0)) << text(sizes, in_blocks);
      set_interrupt_poll(nullptr);
    }
  }
}

}  // namespace
}  // namespace weft::kernels
