// copy and fill against a plain loop over indices.
#include "weft/kernels/copy.h"

#include <gtest/gtest.h>

#include "weft/base/thread_pool.h"
#include "weft/kernels/test_tensor.h"

namespace weft::kernels {
namespace {

using testing::fill_random;
using testing::Sizes;
using testing::Strided;

struct Item16 {
  uint64_t a, b;
  friend bool operator==(const Item16&, const Item16&) = default;
};

// Copies, and checks that every element of `to` is right and that nothing beside it was written.
template <class T>
void check_copy(Strided<T>& to, Strided<T>& from, std::mt19937& random) {
  fill_random(from.memory(), random);
  fill_random(to.memory(), random);
  Strided<T> expected = to;
  testing::for_each_index(to.sizes(), [&](const Sizes& index) {
    Sizes source(index.end() - static_cast<int64_t>(from.sizes().size()), index.end());
    for (size_t d = 0; d < source.size(); ++d) {
      if (from.sizes()[d] == 1) source[d] = 0;
    }
    expected.at(index) = from.at(source);
  });
  copy(to.operand(), from.operand());
  ASSERT_TRUE(to.memory() == expected.memory()) << text(to.sizes(), " from ", from.sizes());
}

template <class T>
class CopyTest : public ::testing::Test {};
using ItemTypes = ::testing::Types<uint8_t, uint16_t, uint32_t, uint64_t, Item16>;
TYPED_TEST_SUITE(CopyTest, ItemTypes);

TYPED_TEST(CopyTest, AnyLayoutOfAnyRank) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const int rank = round % 7;
    const Sizes sizes = testing::random_sizes(random, rank, rank < 3 ? 40 : 6);
    Strided<TypeParam> to(sizes, random, false), from(sizes, random, true);
    check_copy(to, from, random);
  }
}

TYPED_TEST(CopyTest, BroadcastsSizesOfOneAndMissingAxes) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    const Sizes sizes = testing::random_sizes(random, 4, 7);
    Sizes small(sizes.begin() + static_cast<int64_t>(random() % 4), sizes.end());
    for (int64_t& size : small) size = random() % 2 ? 1 : size;
    Strided<TypeParam> to(sizes, random, false), from(small, random, false);
    check_copy(to, from, random);
  }
}

TYPED_TEST(CopyTest, LargeOnesInSeveralThreads) {
  std::mt19937 random(3);
  const int before = num_threads();
  set_num_threads(4);
  for (const Sizes& sizes :
       {Sizes{301, 517}, Sizes{3, 40001}, Sizes{40001, 3}, Sizes{37, 2, 999}}) {
    Strided<TypeParam> row_major(sizes), any(sizes, random, false);
    check_copy(row_major, any, random);
    check_copy(any, row_major, random);
    Strided<TypeParam> again(sizes);
    check_copy(again, row_major, random);
  }
  set_num_threads(before);
}

TYPED_TEST(CopyTest, FillsAnyLayout) {
  std::mt19937 random(4);
  for (int round = 0; round < 60; ++round) {
    Strided<TypeParam> to(testing::random_sizes(random, round % 5, 9), random, false);
    fill_random(to.memory(), random);
    Strided<TypeParam> expected = to;
    std::vector<TypeParam> value(1);
    fill_random(value, random);
    testing::for_each_index(to.sizes(), [&](const Sizes& i) { expected.at(i) = value[0]; });
    fill(to.operand(), value.data());
    ASSERT_TRUE(to.memory() == expected.memory());
  }
}

TEST(Copy, LeavesAloneWhatIsEmpty) {
  Strided<float> to(Sizes{3, 0, 2}), from(Sizes{3, 0, 2}), one(Sizes{1, 1, 1});
  to.memory()[0] = 7;
  copy(to.operand(), from.operand());
  copy(to.operand(), one.operand());
  fill(to.operand(), one.memory().data());
  EXPECT_EQ(to.memory()[0], 7);
}

}  // namespace
}  // namespace weft::kernels
