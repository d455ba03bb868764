// Row kernels against plain loops, with kernels written by hand.
#include "weft/kernels/rows.h"

#include <gtest/gtest.h>

#include "weft/base/thread_pool.h"
#include "weft/kernels/test_tensor.h"

namespace weft::kernels {
namespace {

using testing::row_of;
using testing::Sizes;
using testing::Strided;

// out0 = (x - sum of the row) * weight, out1 = x + weight + 1.
void centre(void* const* p, const int64_t* s, int64_t n, int64_t rows, uint64_t) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* x = row_of<float>(p, s, 2, r);
    const double* weight = row_of<double>(p, s, 3, r);
    float sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += x[i];
    for (int64_t i = 0; i < n; ++i) {
      const float value = x[i];
      row_of<float>(p, s, 0, r)[i] = (value - sum) * static_cast<float>(weight[i]);
      row_of<double>(p, s, 1, r)[i] = value + weight[i] + 1;
    }
  }
}

// out0 = the sum of the row, once; out1 = x - sum, computed in the scratch of two floats an
// element.
void sum_and_rest(void* const* p, const int64_t* s, int64_t n, int64_t rows, uint64_t) {
  float* const scratch = static_cast<float*>(p[3]);
  for (int64_t i = 0; i < 2 * (n + 64); ++i) scratch[i] = -1;
  EXPECT_EQ(s[3], 0);
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += scratch[i] = row_of<float>(p, s, 2, r)[i];
    row_of<float>(p, s, 0, r)[0] = sum;
    for (int64_t i = 0; i < n; ++i) row_of<float>(p, s, 1, r)[i] = scratch[i] - sum;
  }
}

template <class T>
void fill_values(std::vector<T>& values, std::mt19937& random) {
  for (T& value : values) value = static_cast<T>(static_cast<int>(random() % 100) - 50) / T(3);
}

class RowsTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_num_threads(GetParam()); }
  void TearDown() override { set_num_threads(before_); }
  int before_ = num_threads();
};
INSTANTIATE_TEST_SUITE_P(Threads, RowsTest, ::testing::Values(1, 2, 4));

void check_rows(const Sizes& sizes, std::mt19937& random) {
  const bool strided = random() % 3 == 0;
  Strided<float> out0 = strided ? Strided<float>(sizes, random, false) : Strided<float>(sizes);
  Strided<double> out1 =
      random() % 3 ? Strided<double>(sizes) : Strided<double>(sizes, random, false);
  Strided<float> x(sizes, random, true);
  const Sizes vector{sizes.back()}, column(sizes.size(), 1), scalar;
  const Sizes weight_sizes = std::vector<Sizes>{vector, column, scalar, sizes}[random() % 4];
  Strided<double> weight(weight_sizes, random, false);
  fill_values(x.memory(), random);
  fill_values(weight.memory(), random);
  Strided<float> expected0 = out0;
  Strided<double> expected1 = out1;
  Sizes outer = sizes;
  outer.back() = 1;
  testing::for_each_index(outer, [&](Sizes at) {
    float sum = 0;
    for (int64_t i = 0; i < sizes.back(); ++i) at.back() = i, sum += x.at(at);
    for (int64_t i = 0; i < sizes.back(); ++i) {
      at.back() = i;
      const double w = weight.at(weight_sizes == vector   ? Sizes{i}
                                 : weight_sizes == column ? Sizes(sizes.size(), 0)
                                 : weight_sizes == scalar ? Sizes{}
                                                          : at);
      expected0.at(at) = (x.at(at) - sum) * static_cast<float>(w);
      expected1.at(at) = x.at(at) + w + 1;
    }
  });
  const Tensor outputs[] = {out0.tensor(), out1.tensor()};
  const Tensor inputs[] = {x.tensor(), weight.tensor()};
  rows({centre, 2}, outputs, inputs);
  ASSERT_EQ(out0.memory(), expected0.memory()) << text(sizes);
  ASSERT_EQ(out1.memory(), expected1.memory()) << text(sizes);
}

TEST_P(RowsTest, AnyStridesAndParameters) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const int rank = 1 + round % 5;
    check_rows(testing::random_sizes(random, rank, rank < 3 ? 80 : 9), random);
  }
  check_rows({700, 40}, random);
  check_rows({3, 9000}, random);
}

TEST_P(RowsTest, OneValuePerRowAndScratch) {
  std::mt19937 random(4);
  for (const Sizes& sizes : {Sizes{7}, Sizes{1}, Sizes{5, 9}, Sizes{300, 40}, Sizes{4, 6, 300}}) {
    Sizes outer = sizes;
    outer.back() = 1;
    for (int round = 0; round < 5; ++round) {
      Strided<float> sums(outer, random, false), rest(sizes, random, false);
      Strided<float> x(sizes, random, true);
      fill_values(x.memory(), random);
      const Tensor outputs[] = {sums.tensor(), rest.tensor()}, inputs[] = {x.tensor()};
      rows({sum_and_rest, 2, 8}, outputs, inputs);
      testing::for_each_index(outer, [&](Sizes at) {
        float sum = 0;
        for (int64_t i = 0; i < sizes.back(); ++i) at.back() = i, sum += x.at(at);
        for (int64_t i = 0; i < sizes.back(); ++i) {
          at.back() = i;
          ASSERT_EQ(rest.at(at), x.at(at) - sum);
        }
        at.back() = 0;
        ASSERT_EQ(sums.at(at), sum);
      });
    }
  }
}

template <int kAdded>
void add_number(void* const* p, const int64_t* s, int64_t n, int64_t rows, uint64_t) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < n; ++i)
      row_of<float>(p, s, 0, r)[i] = row_of<float>(p, s, 1, r)[i] + kAdded;
  }
}

// The kernels differ, so that one sees which of them ran.
TEST_P(RowsTest, LargeResultsGoPastTheCachesWhereLinesBegin) {
  const auto added = [](int64_t count, int64_t length, int64_t offset) {
    const Shape shape{count, length};
    const Tensor x = Tensor::empty(DType::kF32, shape);
    std::fill_n(static_cast<float*>(x.writable_data()), count * length, 0.0f);
    const Tensor memory = Tensor::empty(DType::kF32, Shape{count * length + offset});
    const Tensor out = memory.view(shape, Ints{length, 1}, offset);
    const Tensor outputs[] = {out}, inputs[] = {x};
    rows({.kernel = add_number<1>, .past = add_number<2>}, outputs, inputs);
    const float* const values = static_cast<const float*>(memory.data()) + offset;
    for (int64_t i = 1; i < count * length; ++i) EXPECT_EQ(values[i], values[0]) << i;
    return values[0];
  };
  EXPECT_EQ(added(4200, 1024, 0), 2);
  EXPECT_EQ(added(4200, 1024, 4), 1);
  EXPECT_EQ(added(4200, 1023, 0), 1);
  EXPECT_EQ(added(400, 1024, 0), 1);
}

TEST_P(RowsTest, EmptyTensors) {
  std::mt19937 random(2);
  check_rows({0, 4}, random);
  check_rows({4, 0}, random);
}

}  // namespace
}  // namespace weft::kernels
