// Streamed rows and rows with totals against plain loops, with kernels written by hand.
#include "weft/kernels/streamed.h"

#include <gtest/gtest.h>

#include <vector>

#include "weft/base/thread_pool.h"
#include "weft/kernels/row_totals.h"

namespace weft::kernels {
namespace {

// out0 = a + scalar, out1 = the position; refuses to be called with more than one row.
void add_scalar(void* const* p, const int64_t*, int64_t n, int64_t rows, uint64_t position) {
  ASSERT_EQ(rows, 1);
  for (int64_t i = 0; i < n; ++i) {
    static_cast<float*>(p[0])[i] = static_cast<const float*>(p[2])[i] + *static_cast<float*>(p[3]);
    static_cast<int64_t*>(p[1])[i] = static_cast<int64_t>(position) + i;
  }
}

TEST(StreamedRows, GivesEveryElementOnceWhateverTheAlignment) {
  for (const int64_t count : {1, 63, 64, 999, 5000}) {
    for (const size_t offset : {size_t{0}, size_t{1}, size_t{5}}) {
      const auto size = static_cast<size_t>(count);
      std::vector<float> out(size + offset, -1), in(size);
      std::vector<int64_t> positions(size, -1);
      for (size_t i = 0; i < size; ++i) in[i] = static_cast<float>(i);
      float scalar = 0.5f;
      StreamedRows run;
      run.kernel = add_scalar;
      run.length = 128;
      run.count = count;
      run.outputs = 2;
      run.operands = 4;
      void* const pointers[] = {out.data() + offset, positions.data(), in.data(), &scalar};
      const int64_t items[] = {4, 8, 4, 0};
      for (int k = 0; k < 4; ++k) {
        run.p[k] = pointers[k];
        run.item[k] = items[k];
        run.step[k] = 128 * items[k];
      }
      ASSERT_TRUE(run.fits());
      run.run(0, (count + 127) / 128);
      for (size_t i = 0; i < size; ++i) {
        ASSERT_EQ(out[i + offset], in[i] + 0.5f) << i << " of " << count;
        ASSERT_EQ(positions[i], static_cast<int64_t>(i)) << i << " of " << count;
      }
      for (size_t i = 0; i < offset; ++i) ASSERT_EQ(out[i], -1);
    }
  }
}

TEST(StreamedRows, RowsThatDoNotFitAreRefused) {
  StreamedRows run;
  run.outputs = 1;
  run.item[0] = 4;
  run.length = StreamedRows::kBufferBytes / 4;
  EXPECT_TRUE(run.fits());
  ++run.length;
  EXPECT_FALSE(run.fits());
}

// out0 = 2 * x, total = total + x.
void double_and_sum(void* const* p, const int64_t* strides, int64_t n, int64_t rows, uint64_t) {
  const auto at = [&](int k, int64_t r) {
    return reinterpret_cast<float*>(static_cast<char*>(p[k]) + r * strides[k]);
  };
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < n; ++i) {
      const float x = at(2, r)[i], before = at(3, r)[i];
      at(0, r)[i] = 2 * x;
      at(1, r)[i] = before + x;
    }
  }
}

void check_totals(int64_t groups, int64_t rows, int64_t length) {
  const auto size = static_cast<size_t>(groups * rows * length);
  const int64_t each = rows_of_block(rows), blocks = (rows + each - 1) / each;
  std::vector<float> x(size), out(size);
  std::vector<float> totals(static_cast<size_t>(groups * blocks * length), 7);
  for (size_t i = 0; i < size; ++i) x[i] = static_cast<float>(i % 101) - 50;
  GroupedRows work{};
  work.groups = groups;
  work.rows = rows;
  work.length = length;
  work.outputs = 2;
  work.inputs = 1;
  work.totals = 0b10;
  void* const pointers[] = {out.data(), totals.data(), x.data()};
  for (int k = 0; k < 3; ++k) {
    work.p[k] = pointers[k];
    work.item[k] = 4;
    work.row_strides[k] = 4 * length;
  }
  rows_with_totals({.kernel = double_and_sum, .streams = true}, work);
  for (size_t i = 0; i < size; ++i) ASSERT_EQ(out[i], 2 * x[i]);
  for (int64_t block = 0; block < groups * blocks; ++block) {
    const int64_t first = block / blocks * rows + block % blocks * each;
    const int64_t last = std::min(first + each, (block / blocks + 1) * rows);
    for (int64_t c = 0; c < length; ++c) {
      float sum = 0;
      for (int64_t r = first; r < last; ++r) sum += x[static_cast<size_t>(r * length + c)];
      ASSERT_EQ(totals[static_cast<size_t>(block * length + c)], sum) << block << ' ' << c;
    }
  }
}

TEST(RowTotals, EveryBlockHasItsSum) {
  const int before = num_threads();
  for (const int threads : {1, 2, 4}) {
    set_num_threads(threads);
    check_totals(1, 1, 5);
    check_totals(3, 37, 70);
    check_totals(2, 1100, 33);
    check_totals(1, 3000, 1024);
    check_totals(1, 4500, 1024);  // goes past the caches
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace weft::kernels
