// take, gather and their transposes against plain loops.
#include "weft/kernels/index.h"

#include <gtest/gtest.h>

#include "weft/base/thread_pool.h"
#include "weft/kernels/bind.h"
#include "weft/kernels/test_tensor.h"

namespace weft::kernels {
namespace {

using testing::Sizes;
using testing::Strided;

constexpr Blame kBlame{"take", "C9"};

// Random indices, negative ones too.
template <class Index>
Strided<Index> random_indices(const Sizes& sizes, int64_t axis_size, std::mt19937& random) {
  Strided<Index> indices(sizes, random, false);
  for (Index& index : indices.memory()) {
    index = static_cast<Index>(static_cast<int64_t>(random() % (2 * axis_size)) - axis_size);
  }
  return indices;
}

int64_t from_end(int64_t index, int64_t size) { return index < 0 ? index + size : index; }

template <class T>
void fill_values(std::vector<T>& values, std::mt19937& random) {
  for (T& value : values) value = static_cast<T>(static_cast<int>(random() % 200) - 100) / T(8);
}

// The index into `in` that element `at` of take's result reads.
template <class Index>
Sizes taken(const Sizes& at, Strided<Index>& indices, size_t axis, int64_t size) {
  const size_t rank = indices.sizes().size();
  const auto first = at.begin() + static_cast<int64_t>(axis);
  const auto last = first + static_cast<int64_t>(rank);
  Sizes source(at.begin(), first);
  source.push_back(from_end(indices.at(Sizes(first, last)), size));
  source.insert(source.end(), last, at.end());
  return source;
}

template <class T, class Index>
void check_take(const Sizes& in_sizes, const Sizes& index_sizes, size_t axis,
                std::mt19937& random) {
  Strided<T> in(in_sizes, random, true);
  fill_values(in.memory(), random);
  Strided<Index> indices = random_indices<Index>(index_sizes, in_sizes[axis], random);
  Sizes out_sizes(in_sizes.begin(), in_sizes.begin() + static_cast<int64_t>(axis));
  out_sizes.insert(out_sizes.end(), index_sizes.begin(), index_sizes.end());
  out_sizes.insert(out_sizes.end(), in_sizes.begin() + static_cast<int64_t>(axis) + 1,
                   in_sizes.end());
  Strided<T> out(out_sizes);
  native::take(out.tensor(), in.tensor(), indices.tensor(), static_cast<int64_t>(axis), kBlame);
  testing::for_each_index(out_sizes, [&](const Sizes& at) {
    ASSERT_EQ(out.at(at), in.at(taken(at, indices, axis, in_sizes[axis])));
  });

  Strided<T> sum(in_sizes), updates(out_sizes, random, true);
  fill_values(sum.memory(), random);
  fill_values(updates.memory(), random);
  Strided<T> expected = sum;
  testing::for_each_index(out_sizes, [&](const Sizes& at) {
    expected.at(taken(at, indices, axis, in_sizes[axis])) += updates.at(at);
  });
  native::take_add(sum.tensor(), indices.tensor(), updates.tensor(), static_cast<int64_t>(axis),
                   kBlame);
  ASSERT_EQ(sum.memory(), expected.memory());
}

template <class T, class Index>
void check_gather(const Sizes& in_sizes, const Sizes& index_sizes, size_t axis,
                  std::mt19937& random) {
  Strided<T> in(in_sizes, random, true), out(index_sizes);
  fill_values(in.memory(), random);
  Strided<Index> indices = random_indices<Index>(index_sizes, in_sizes[axis], random);
  native::gather(out.tensor(), in.tensor(), indices.tensor(), static_cast<int64_t>(axis), kBlame);
  testing::for_each_index(index_sizes, [&](Sizes at) {
    Sizes source = at;
    source[axis] = from_end(indices.at(at), in_sizes[axis]);
    ASSERT_EQ(out.at(at), in.at(source));
  });
  if (in_sizes != index_sizes) {
    Sizes same = index_sizes;
    same[axis] = in_sizes[axis];
    if (same != in_sizes) return;
  }
  Strided<T> sum(in_sizes), updates(index_sizes, random, true);
  fill_values(sum.memory(), random);
  fill_values(updates.memory(), random);
  Strided<T> expected = sum;
  testing::for_each_index(index_sizes, [&](Sizes at) {
    Sizes place = at;
    place[axis] = from_end(indices.at(at), in_sizes[axis]);
    expected.at(place) += updates.at(at);
  });
  native::scatter_add(sum.tensor(), indices.tensor(), updates.tensor(), static_cast<int64_t>(axis),
                      kBlame);
  ASSERT_EQ(sum.memory(), expected.memory());
}

class IndexTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    bind_native();
    set_num_threads(GetParam());
  }
  void TearDown() override { set_num_threads(before_); }
  int before_ = num_threads();
};
INSTANTIATE_TEST_SUITE_P(Threads, IndexTest, ::testing::Values(1, 4));

TEST_P(IndexTest, TakeAndItsTranspose) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const Sizes in = testing::random_sizes(random, 1 + round % 4, 7);
    const Sizes indices = testing::random_sizes(random, round % 3, 6);
    check_take<float, int64_t>(in, indices, random() % in.size(), random);
    check_take<double, int32_t>(in, indices, random() % in.size(), random);
  }
  check_take<float, int64_t>({50, 300}, {400}, 0, random);
  check_take<float, int32_t>({300, 50}, {400}, 1, random);
}

TEST_P(IndexTest, GatherAndItsTranspose) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    const Sizes in = testing::random_sizes(random, 1 + round % 4, 7);
    const size_t axis = random() % in.size();
    Sizes indices = in;
    if (round % 2) {
      for (int64_t& size : indices) size = 1 + static_cast<int64_t>(random() % size);
    }
    indices[axis] = 1 + static_cast<int64_t>(random() % 9);
    check_gather<float, int64_t>(in, indices, axis, random);
    check_gather<double, int32_t>(in, indices, axis, random);
  }
  check_gather<float, int64_t>({50, 300}, {400, 300}, 0, random);
  check_gather<float, int64_t>({300, 50}, {300, 400}, 1, random);
}

std::string message_of(FunctionRef<void()> call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code, Code::kIndex);
    return error.what();
  }
  return "no error";
}

TEST_P(IndexTest, NamesTheFirstIndexOutOfRange) {
  Strided<float> in(Sizes{5, 400}), out(Sizes{400, 3, 400}), rows(Sizes{400, 400});
  Strided<int64_t> indices(Sizes{400, 3}), many(Sizes{400, 400});
  indices.at({1, 2}) = 7;
  indices.at({399, 0}) = -6;
  many.at({0, 399}) = -6;
  const auto take = [&] { native::take(out.tensor(), in.tensor(), indices.tensor(), 0, kBlame); };
  EXPECT_EQ(message_of(take),
            "take: index 7 at position [1, 2] is out of range for axis 0 with size 5 [take.C9]");
  const auto take_add = [&] {
    native::take_add(in.tensor(), indices.tensor(), out.tensor(), 0, kBlame);
  };
  EXPECT_EQ(message_of(take_add), message_of(take));
  const auto gather = [&] { native::gather(rows.tensor(), in.tensor(), many.tensor(), 0, kBlame); };
  EXPECT_EQ(message_of(gather),
            "take: index -6 at position [0, 399] is out of range for axis 0 with size 5 [take.C9]");
  const auto scatter = [&] {
    native::scatter_add(in.tensor(), many.tensor(), rows.tensor(), 0, kBlame);
  };
  EXPECT_EQ(message_of(scatter), message_of(gather));
}

TEST_P(IndexTest, EmptyIndices) {
  Strided<float> in(Sizes{5, 2}), out(Sizes{0, 2});
  Strided<int64_t> indices(Sizes{0});
  native::take(out.tensor(), in.tensor(), indices.tensor(), 0, kBlame);
  native::take_add(in.tensor(), indices.tensor(), out.tensor(), 0, kBlame);
  EXPECT_EQ(in.memory(), std::vector<float>(10, 0.0f));
}

TEST_P(IndexTest, HalfFloatsAreRoundedOnce) {
  Strided<BFloat16> sum(Sizes{1}), updates(Sizes{256});
  Strided<int64_t> indices(Sizes{256});
  for (BFloat16& update : updates.memory()) update = BFloat16::from_float(1.0f / 256 + 1.0f / 512);
  sum.memory()[0] = BFloat16::from_float(1);
  native::take_add(sum.tensor(), indices.tensor(), updates.tensor(), 0, kBlame);
  EXPECT_EQ(sum.memory()[0].to_float(), 2.5f);  // rounding each step would stay at 1
}

TEST(Native, MatmulBroadcastsBatchesAndReadsAnyStrides) {
  bind_native();
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    const Sizes s = testing::random_sizes(random, 5, 5);
    Strided<float> out(Sizes{s[0], s[1], s[2], s[3]});
    Strided<float> a(Sizes{s[1], s[2], s[4]}, random, true);
    Strided<float> b(Sizes{s[0], 1, s[4], s[3]}, random, true);
    for (float& value : a.memory()) value = static_cast<float>(random() % 17);
    for (float& value : b.memory()) value = static_cast<float>(random() % 17);
    native::matmul(out.tensor(), a.tensor(), b.tensor());
    testing::for_each_index(out.sizes(), [&](const Sizes& at) {
      float sum = 0;
      for (int64_t k = 0; k < s[4]; ++k) {
        sum += a.at({at[1], at[2], k}) * b.at({at[0], 0, k, at[3]});
      }
      ASSERT_EQ(out.at(at), sum);
    });
  }
}

}  // namespace
}  // namespace weft::kernels
