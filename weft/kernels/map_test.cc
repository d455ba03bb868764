// The elementwise driver against a plain loop, with kernels written by hand.
#include "weft/kernels/map.h"

#include <gtest/gtest.h>

#include "weft/base/thread_pool.h"
#include "weft/kernels/test_tensor.h"

namespace weft::kernels {
namespace {

using testing::Sizes;
using testing::Strided;

// Reads operand k at element i of row r; `scalars` says which inputs are one value.
template <class T>
T read(void* const* p, const int64_t* row_strides, int k, int64_t r, int64_t i, bool scalar) {
  return reinterpret_cast<const T*>(static_cast<const char*>(p[k]) +
                                    r * row_strides[k])[scalar ? 0 : i];
}
template <class T>
T& element(void* const* p, const int64_t* row_strides, int k, int64_t r, int64_t i) {
  return reinterpret_cast<T*>(static_cast<char*>(p[k]) + r * row_strides[k])[i];
}

float meaning(float a, double b, uint8_t c) { return a * 3 - static_cast<float>(b) * 5 + c; }

// Two outputs of other sizes: the sum, and whether it is negative.
template <unsigned kScalars>
void mixed(void* const* p, const int64_t* s, int64_t n, int64_t rows, uint64_t) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < n; ++i) {
      const float value = meaning(read<float>(p, s, 2, r, i, kScalars & 1),
                                  read<double>(p, s, 3, r, i, kScalars & 2),
                                  read<uint8_t>(p, s, 4, r, i, kScalars & 4));
      element<float>(p, s, 0, r, i) = value;
      element<bool>(p, s, 1, r, i) = value < 0;
    }
  }
}

void count_up(void* const* p, const int64_t* s, int64_t n, int64_t rows, uint64_t position) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < n; ++i) {
      element<uint64_t>(p, s, 0, r, i) =
          position++ * 1000 + static_cast<uint64_t>(read<int32_t>(p, s, 1, r, i, false));
    }
  }
}

// Five inputs, of which only variant 0 exists.
void sum_five(void* const* p, const int64_t* s, int64_t n, int64_t rows, uint64_t) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < n; ++i) {
      float sum = 0;
      for (int k = 1; k <= 5; ++k) sum += read<float>(p, s, k, r, i, false) * static_cast<float>(k);
      element<float>(p, s, 0, r, i) = sum;
    }
  }
}

template <class T>
void fill_small(std::vector<T>& values, std::mt19937& random) {
  for (T& value : values) value = static_cast<T>(random() % 100);
}

// An input that broadcasts to `sizes`: axes left out, of size 1, or of stride 0.
template <class T>
Strided<T> random_input(const Sizes& sizes, std::mt19937& random) {
  Sizes own = sizes;
  if (random() % 3 == 0) {
    own.erase(own.begin(), own.begin() + static_cast<int64_t>(random() % (own.size() + 1)));
    for (int64_t& size : own) size = random() % 3 == 0 ? 1 : size;
  }
  Strided<T> input(own, random, random() % 2 == 0);
  fill_small(input.memory(), random);
  return input;
}

Sizes broadcast_index(const Sizes& index, const Sizes& own) {
  Sizes source(index.end() - static_cast<int64_t>(own.size()), index.end());
  for (size_t d = 0; d < own.size(); ++d) source[d] = own[d] == 1 ? 0 : source[d];
  return source;
}

constexpr MapKernels mixed_kernels(bool all) {
  MapKernels kernels{.inputs = 3, .outputs = 2, .ns_per_element = 2};
  kernels.variant[0] = mixed<0>;
  if (!all) return kernels;
  kernels.variant[1] = mixed<1>;
  kernels.variant[2] = mixed<2>;
  kernels.variant[4] = mixed<4>;
  kernels.variant[6] = mixed<6>;
  return kernels;
}

void check_mixed(const MapKernels& kernels, const Sizes& sizes, std::mt19937& random) {
  const bool strided = random() % 2;
  Strided<float> value = strided ? Strided<float>(sizes, random, false) : Strided<float>(sizes);
  Strided<uint8_t> negative =
      random() % 2 ? Strided<uint8_t>(sizes, random, false) : Strided<uint8_t>(sizes);
  Strided<float> a = random_input<float>(sizes, random);
  Strided<double> b = random_input<double>(sizes, random);
  Strided<uint8_t> c = random_input<uint8_t>(sizes, random);
  Strided<float> expected = value;
  testing::for_each_index(sizes, [&](const Sizes& i) {
    expected.at(i) =
        meaning(a.at(broadcast_index(i, a.sizes())), b.at(broadcast_index(i, b.sizes())),
                c.at(broadcast_index(i, c.sizes())));
  });
  const Tensor outputs[] = {value.tensor(), negative.tensor(DType::kBool)};
  const Tensor inputs[] = {a.tensor(), b.tensor(), c.tensor()};
  map(kernels, outputs, inputs);
  ASSERT_EQ(value.memory(), expected.memory()) << text(sizes, a.sizes(), b.sizes(), c.sizes());
  testing::for_each_index(
      sizes, [&](const Sizes& i) { ASSERT_EQ(negative.at(i), expected.at(i) < 0 ? 1 : 0); });
}

class MapTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_num_threads(GetParam()); }
  void TearDown() override { set_num_threads(before_); }
  int before_ = num_threads();
};
INSTANTIATE_TEST_SUITE_P(Threads, MapTest, ::testing::Values(1, 2, 4));

TEST_P(MapTest, AnyStridesRanksAndBroadcasts) {
  std::mt19937 random(1);
  for (int round = 0; round < 280; ++round) {
    const int rank = round % 7;
    const int64_t most = rank < 2 ? 4000 : rank == 2 ? 150 : rank == 3 ? 30 : 6;
    check_mixed(mixed_kernels(round % 5 != 0), testing::random_sizes(random, rank, most), random);
  }
}

TEST_P(MapTest, NarrowInnerDims) {
  std::mt19937 random(2);
  for (const Sizes& sizes : {Sizes{4000, 3}, Sizes{500, 5, 3}, Sizes{20, 300, 2}, Sizes{3, 4000}}) {
    for (int round = 0; round < 10; ++round) check_mixed(mixed_kernels(true), sizes, random);
  }
}

// A row for all, shorter than vectors: taken together in tasks whose last tile is not full.
TEST_P(MapTest, ManyShortRows) {
  std::mt19937 random(6);
  for (const int64_t cols : {4, 6, 10, 15}) {
    const int64_t rows = 30'011;
    Strided<float> out(Sizes{rows, cols}), each(Sizes{rows, cols});
    Strided<double> row(Sizes{cols});
    Strided<uint8_t> one(Sizes{}), flags(Sizes{rows, cols});
    fill_small(each.memory(), random);
    fill_small(row.memory(), random);
    one.memory()[0] = 3;
    const Tensor outputs[] = {out.tensor(), flags.tensor(DType::kBool)};
    const Tensor inputs[] = {each.tensor(), row.tensor(), one.tensor()};
    MapKernels cheap = mixed_kernels(true);
    cheap.ns_per_element = 0.2f;
    map(cheap, outputs, inputs);
    for (size_t i = 0; i < out.memory().size(); ++i) {
      const float wanted =
          meaning(each.memory()[i], row.memory()[i % static_cast<size_t>(cols)], 3);
      ASSERT_EQ(out.memory()[i], wanted) << i;
      ASSERT_EQ(flags.memory()[i], wanted < 0) << i;
    }
  }
}

TEST_P(MapTest, EmptyTensors) {
  std::mt19937 random(3);
  for (const Sizes& sizes : {Sizes{0}, Sizes{3, 0, 2}, Sizes{0, 5}}) {
    check_mixed(mixed_kernels(true), sizes, random);
  }
}

TEST_P(MapTest, PositionsAreLinearIndices) {
  std::mt19937 random(4);
  MapKernels kernels{.inputs = 1, .outputs = 1, .uses_position = true, .ns_per_element = 1};
  kernels.variant[0] = count_up;
  for (int round = 0; round < 200; ++round) {
    const int rank = round % 5;
    const Sizes sizes = testing::random_sizes(random, rank,
                                              rank < 2    ? 20000
                                              : rank == 2 ? 200
                                                          : 14);
    Strided<uint64_t> out(sizes);
    Strided<int32_t> in = random_input<int32_t>(sizes, random);
    const Tensor inputs[] = {in.tensor()}, outputs[] = {out.tensor()};
    map(kernels, outputs, inputs);
    uint64_t position = 0;
    testing::for_each_index(sizes, [&](const Sizes& i) {
      const auto value = static_cast<uint64_t>(in.at(broadcast_index(i, in.sizes())));
      ASSERT_EQ(out.at(i), position++ * 1000 + value) << text(sizes, in.sizes());
    });
  }
}

TEST_P(MapTest, ManyInputsWithoutVariants) {
  std::mt19937 random(5);
  MapKernels kernels{.inputs = 5, .outputs = 1};
  kernels.variant[0] = sum_five;
  for (int round = 0; round < 100; ++round) {
    const Sizes sizes = testing::random_sizes(random, round % 5, 12);
    Strided<float> out(sizes);
    std::vector<Strided<float>> in;
    std::vector<Tensor> inputs;
    for (int k = 0; k < 5; ++k) in.push_back(random_input<float>(sizes, random));
    for (Strided<float>& input : in) inputs.push_back(input.tensor());
    const Tensor outputs[] = {out.tensor()};
    map(kernels, outputs, inputs);
    testing::for_each_index(sizes, [&](const Sizes& i) {
      float sum = 0;
      for (size_t k = 0; k < 5; ++k) {
        sum += in[k].at(broadcast_index(i, in[k].sizes())) * static_cast<float>(k + 1);
      }
      ASSERT_EQ(out.at(i), sum);
    });
  }
}

TEST_P(MapTest, InPlace) {
  Strided<float> a(Sizes{40, 50}), b(Sizes{50});
  for (size_t i = 0; i < 2000; ++i) a.memory()[i] = static_cast<float>(i);
  for (size_t i = 0; i < 50; ++i) b.memory()[i] = static_cast<float>(i % 7);
  Strided<double> doubles(Sizes{50});
  for (size_t i = 0; i < 50; ++i) doubles.memory()[i] = b.memory()[i];
  Strided<uint8_t> flags(Sizes{40, 50}), zero(Sizes{});
  const Tensor x = a.tensor();
  const Tensor outputs[] = {x, flags.tensor(DType::kBool)};
  const Tensor inputs[] = {x, doubles.tensor(), zero.tensor()};
  map(mixed_kernels(true), outputs, inputs);
  for (size_t i = 0; i < 2000; ++i) {
    ASSERT_EQ(a.memory()[i], meaning(static_cast<float>(i), (i % 50) % 7, 0));
  }
}

}  // namespace
}  // namespace weft::kernels
