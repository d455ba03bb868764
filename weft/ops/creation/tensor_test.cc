// Tensors from the language's own values.
#include "weft/ops/creation/tensor.h"

#include <gtest/gtest.h>

#include "weft/ops/creation/creation.h"

namespace weft {
namespace {

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was raised";
}

TEST(FromData, LiteralsHaveTheDefaultDtypes) {
  EXPECT_EQ(text(tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}).type()), "f32[3, 2]");
  EXPECT_EQ(text(tensor({1, 2, 3}).type()), "i64[3]");
  EXPECT_EQ(text(tensor({true, false}).type()), "bool[2]");
  EXPECT_EQ(text(tensor({{{1}, {2}}}).type()), "i64[1, 2, 1]");
  EXPECT_EQ(text(tensor(2.5).type()), "f32[]");
  EXPECT_EQ(text(tensor({1, 2}, DType::kF16).type()), "f16[2]");
}

TEST(FromData, KeepsTheValuesInOrder) {
  EXPECT_EQ(tensor({{1.0, 2.0}, {3.0, 4.0}}).to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(tensor({int64_t{1} << 62, int64_t{3}}).to_vector<int64_t>(),
            (std::vector<int64_t>{int64_t{1} << 62, 3}));
  EXPECT_EQ(cast(tensor({true, false}), DType::kU8).to_vector<uint8_t>(),
            (std::vector<uint8_t>{1, 0}));
  const std::vector<double> data{1, 2, 3, 4, 5, 6};
  const Tensor x = tensor(data, {2, 3});
  EXPECT_EQ(text(x.type()), "f64[2, 3]");
  EXPECT_EQ(x.to_vector<double>(), data);
}

TEST(FromData, RefusesWhatIsNoTensor) {
  EXPECT_EQ(message_of([] { tensor({{1, 2}, {3}}); }),
            "tensor: lists at depth 1 have 2 and 1 elements; they must have equal lengths "
            "[tensor.ragged]");
  EXPECT_EQ(message_of([] { tensor(std::vector<float>{1, 2, 3}, {2, 2}); }),
            "tensor: there are 3 values for shape [2, 2] with 4 elements; the counts must be equal "
            "[tensor.count]");
  EXPECT_EQ(message_of([] { tensor(std::vector<float>{1, 2}, {-1, -2}); }),
            "tensor: shape [-1, -2] has a negative size; sizes are at least 0 [tensor.negative]");
}

TEST(Arange, CountsTheFarEndsOfIntegers) {
  constexpr int64_t kMost = INT64_MAX, kLeast = INT64_MIN;
  EXPECT_EQ(arange(kMost - 2, kMost).to_vector<int64_t>(),
            (std::vector<int64_t>{kMost - 2, kMost - 1}));
  EXPECT_EQ(arange(kLeast, kMost, kMost).to_vector<int64_t>(),
            (std::vector<int64_t>{kLeast, -1, kMost - 1}));
  EXPECT_EQ(arange(5, 0, kLeast).to_vector<int64_t>(), (std::vector<int64_t>{5}));
}

TEST(Linspace, EndsExactly) {
  const auto x = linspace(0.1, 0.7, 1000, DType::kF64).to_vector<double>();
  EXPECT_EQ(x.front(), 0.1);
  EXPECT_EQ(x.back(), 0.7);
  EXPECT_EQ(linspace(3.0, 5.0, 1, DType::kF64).item(), 3);
}

TEST(Linspace, MeetsZeroOnTheWay) {
  for (const double end : {0.3, 1.0, 2.0, 7.0}) {
    EXPECT_EQ(linspace(-end, end, 11, DType::kF64).to_vector<double>()[5], 0);
  }
}

}  // namespace
}  // namespace weft
