// The reductions driver against the canonical order written out, with kernels written by hand.
#include "weft/kernels/reduce.h"

#include <gtest/gtest.h>

#include <array>

#include "weft/base/thread_pool.h"
#include "weft/kernels/test_tensor.h"

namespace weft::kernels {
namespace {

using testing::Sizes;
using testing::Strided;

// Summing and finding the greatest element, as generated kernels would be told.
struct Sum {
  struct State {
    float sum = -0.0f;
  };
  static constexpr int kStates = 1;
  static State map(float x, int64_t) { return {x}; }
  static State combine(State a, State b) { return {a.sum + b.sum}; }
  static State load(void* const* p, int64_t i) { return {static_cast<float*>(p[0])[i]}; }
  static void store(void* const* p, int64_t i, State s) { static_cast<float*>(p[0])[i] = s.sum; }
};

struct ArgMax {
  struct State {
    float value = -std::numeric_limits<float>::infinity();
    int64_t index = std::numeric_limits<int64_t>::max();
  };
  static constexpr int kStates = 2;
  static State map(float x, int64_t index) { return {x, index}; }
  static State combine(State a, State b) {
    const bool left = a.value > b.value || (a.value == b.value && a.index < b.index);
    return left ? a : b;
  }
  static State load(void* const* p, int64_t i) {
    return {static_cast<float*>(p[0])[i], static_cast<int64_t*>(p[1])[i]};
  }
  static void store(void* const* p, int64_t i, State s) {
    static_cast<float*>(p[0])[i] = s.value;
    static_cast<int64_t*>(p[1])[i] = s.index;
  }
};

// 4 accumulators of 16 lanes: element j goes to lane j % 64; then the tree.
template <class R>
using Lanes = std::array<typename R::State, 64>;

template <class R>
typename R::State finish(Lanes<R> lanes) {
  for (size_t i = 0; i < 16; ++i) {
    lanes[i] =
        R::combine(R::combine(lanes[i], lanes[i + 16]), R::combine(lanes[i + 32], lanes[i + 48]));
  }
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) lanes[i] = R::combine(lanes[i], lanes[i + half]);
  }
  return lanes[0];
}

template <class R>
typename R::State reduce_states(const std::vector<typename R::State>& states) {
  Lanes<R> lanes;
  for (size_t j = 0; j < states.size(); ++j) {
    lanes[j % 64] = R::combine(lanes[j % 64], states[j]);
  }
  return finish<R>(lanes);
}

template <class R>
void row_kernel(void* const* states, const void* in, int64_t row_stride, int64_t n, int64_t rows,
                uint64_t index) {
  for (int64_t r = 0; r < rows; ++r) {
    const auto* x = reinterpret_cast<const float*>(static_cast<const char*>(in) + r * row_stride);
    std::vector<typename R::State> row;
    for (int64_t j = 0; j < n; ++j) row.push_back(R::map(x[j], static_cast<int64_t>(index) + j));
    R::store(states, r, reduce_states<R>(row));
  }
}

template <class R>
void column_kernel(void* const* states, const void* in, int64_t row_stride, int64_t n,
                   int64_t columns, uint64_t index, void* scratch) {
  ASSERT_LE(columns, kReduceColumns);
  std::memset(scratch, 0xee, 64 * kReduceColumns * (R::kStates == 2 ? 12 : 4));
  std::vector<Lanes<R>> lanes(static_cast<size_t>(columns));
  for (int64_t j = 0; j < n; ++j) {
    const auto* x = reinterpret_cast<const float*>(static_cast<const char*>(in) + j * row_stride);
    for (int64_t c = 0; c < columns; ++c) {
      auto& lane = lanes[static_cast<size_t>(c)][static_cast<size_t>(j % 64)];
      lane = R::combine(lane, R::map(x[c], static_cast<int64_t>(index) + j));
    }
  }
  for (int64_t c = 0; c < columns; ++c) {
    R::store(states, c, finish<R>(lanes[static_cast<size_t>(c)]));
  }
}

template <class R>
void combine_kernel(void* const* states, void* const* in, int64_t, int64_t n, int64_t rows) {
  ASSERT_EQ(rows, 1);
  std::vector<typename R::State> row;
  for (int64_t j = 0; j < n; ++j) row.push_back(R::load(in, j));
  R::store(states, 0, reduce_states<R>(row));
}

template <class R>
ReduceKernels kernels_of(int64_t block, bool columns) {
  ReduceKernels kernels{.row = row_kernel<R>,
                        .column = columns ? column_kernel<R> : nullptr,
                        .combine = combine_kernel<R>,
                        .states = R::kStates,
                        .ns_per_element = 5,
                        .block = block};
  kernels.state_item[0] = 4;
  kernels.state_item[1] = 8;
  return kernels;
}

// The definition: blocks, then blocks of their results, until one is left.
template <class R>
typename R::State canonical(const std::vector<float>& elements, int64_t block) {
  std::vector<typename R::State> states;
  for (size_t j = 0; j < elements.size(); ++j) {
    states.push_back(R::map(elements[j], static_cast<int64_t>(j)));
  }
  do {
    std::vector<typename R::State> next;
    for (size_t j = 0; j < states.size(); j += static_cast<size_t>(block)) {
      const size_t end = std::min(states.size(), j + static_cast<size_t>(block));
      next.push_back(reduce_states<R>(
          {states.begin() + static_cast<int64_t>(j), states.begin() + static_cast<int64_t>(end)}));
    }
    states = next;
  } while (states.size() > 1);
  return states[0];
}

template <class R>
std::vector<typename R::State> expected(Strided<float>& in, uint32_t axes, int64_t block) {
  Sizes kept = in.sizes(), reduced = in.sizes();
  for (size_t d = 0; d < in.sizes().size(); ++d) (axes >> d & 1 ? kept : reduced)[d] = 1;
  std::vector<typename R::State> all;
  testing::for_each_index(kept, [&](const Sizes& k) {
    std::vector<float> elements;
    testing::for_each_index(reduced, [&](Sizes at) {
      for (size_t d = 0; d < at.size(); ++d) at[d] += k[d];
      elements.push_back(in.at(at));
    });
    all.push_back(canonical<R>(elements, block));
  });
  return all;
}

// Values whose sum depends on the order, with ties for the greatest.
void fill_values(std::vector<float>& values, std::mt19937& random) {
  for (float& value : values) {
    value = static_cast<float>(static_cast<int>(random() % 2000) - 1000) *
            (random() % 5 ? 0.001f : 12345.0f);
  }
}

void check(Strided<float>& in, uint32_t axes, int64_t block, bool columns) {
  const auto sums = expected<Sum>(in, axes, block);
  const auto greatest = expected<ArgMax>(in, axes, block);
  std::vector<float> sum(sums.size() + 1, 77), values(sums.size());
  std::vector<int64_t> indices(sums.size() + 1, 77);
  void* sum_to[] = {sum.data()};
  reduce(kernels_of<Sum>(block, columns), sum_to, in.operand(), axes);
  void* max_to[] = {block % 2 ? values.data() : nullptr, indices.data()};
  reduce(kernels_of<ArgMax>(block, columns), max_to, in.operand(), axes);
  for (size_t i = 0; i < sums.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(sum[i]), std::bit_cast<uint32_t>(sums[i].sum))
        << text(in.sizes(), " axes ", axes, " block ", block, " output ", i);
    ASSERT_EQ(indices[i], greatest[i].index);
    if (max_to[0]) {
      ASSERT_EQ(values[i], greatest[i].value);
    }
  }
  ASSERT_EQ(sum.back(), 77);
  ASSERT_EQ(indices.back(), 77);
}

class ReduceTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_num_threads(GetParam()); }
  void TearDown() override { set_num_threads(before_); }
  int before_ = num_threads();
};
INSTANTIATE_TEST_SUITE_P(Threads, ReduceTest, ::testing::Values(1, 2, 4));

TEST_P(ReduceTest, AnyAxesOfAnyLayout) {
  std::mt19937 random(1);
  for (int round = 0; round < 210; ++round) {
    const int rank = round % 7;
    const int64_t most = rank < 2 ? 2000 : rank == 2 ? 90 : rank == 3 ? 20 : 6;
    const Sizes sizes = testing::random_sizes(random, rank, most);
    Strided<float> in(sizes, random, true);
    fill_values(in.memory(), random);
    const int64_t block = std::array<int64_t, 4>{3, 64, 100, kReduceBlock}[random() % 4];
    check(in, random() & ((1u << rank) - 1), block, random() % 4 != 0);
  }
}

TEST_P(ReduceTest, RowMajorMatrices) {
  std::mt19937 random(2);
  for (const Sizes& sizes : {Sizes{70, 130}, Sizes{900, 5}, Sizes{5, 900}, Sizes{12, 20, 18}}) {
    Strided<float> in(sizes);
    fill_values(in.memory(), random);
    for (uint32_t axes = 0; axes < 1u << sizes.size(); ++axes) {
      check(in, axes, 256, true);
      check(in, axes, kReduceBlock, true);
    }
  }
}

TEST_P(ReduceTest, LongRowsInSeveralBlocks) {
  std::mt19937 random(3);
  Strided<float> in(Sizes{2 * kReduceBlock + 17});
  fill_values(in.memory(), random);
  check(in, 1, kReduceBlock, true);
  Strided<float> columns(Sizes{kReduceBlock + 5, 4}), turned(Sizes{2, kReduceBlock + 5});
  fill_values(columns.memory(), random);
  fill_values(turned.memory(), random);
  check(columns, 1, kReduceBlock, true);
  check(columns, 3, kReduceBlock, true);
  check(turned, 2, kReduceBlock, true);
}

TEST_P(ReduceTest, NothingToReduceWritesNothing) {
  Strided<float> in(Sizes{3, 0});
  float sum[3] = {7, 7, 7};
  void* to[] = {sum};
  reduce(kernels_of<Sum>(kReduceBlock, true), to, in.operand(), 2);
  reduce(kernels_of<Sum>(kReduceBlock, true), to, in.operand(), 1);
  reduce(kernels_of<Sum>(kReduceBlock, true), to, in.operand(), 3);
  EXPECT_EQ(sum[0] + sum[1] + sum[2], 21);
}

}  // namespace
}  // namespace weft::kernels
