// Keys, Philox's published answers, the default generator, and the shape of the distributions.
#include "weft/ops/random/key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "weft/ops/random/philox.h"
#include "weft/ops/random/random.h"

namespace weft {
namespace {

using random::Block;
using random::Key;

Block<uint32_t> block_of(Block<uint32_t> counter, uint32_t key0, uint32_t key1) {
  return random::philox(key0, key1, counter, [](uint32_t x) { return x; });
}

void expect_words(const Block<uint32_t>& got, std::initializer_list<uint32_t> wanted) {
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), got.words));
}

// The known answers of Random123, kat_vectors, philox4x32 with 10 rounds.
TEST(Philox, GivesThePublishedAnswers) {
  constexpr uint32_t kOnes = 0xffffffff;
  expect_words(block_of({{0, 0, 0, 0}}, 0, 0), {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  expect_words(block_of({{kOnes, kOnes, kOnes, kOnes}}, kOnes, kOnes),
               {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  expect_words(block_of({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
               {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(Key, SplitsIntoABatchOfKeysThatCanBeIndexed) {
  const Key key(5);
  const Key keys = key.split(3);
  EXPECT_EQ(text(keys.words().type()), "u32[3, 2]");
  EXPECT_NE(keys[0].words().to_vector<uint32_t>(), keys[1].words().to_vector<uint32_t>());
  // The first keys of a split do not depend on how many there are.
  EXPECT_EQ(keys[1].words().to_vector<uint32_t>(), key.split(2)[1].words().to_vector<uint32_t>());
}

TEST(Key, FoldsInNumbers) {
  const Key key(5);
  EXPECT_NE(key.fold_in(0).words().to_vector<uint32_t>(), key.words().to_vector<uint32_t>());
  EXPECT_NE(key.fold_in(0).words().to_vector<uint32_t>(),
            key.fold_in(1).words().to_vector<uint32_t>());
}

TEST(Key, RefusesOtherTensors) {
  try {
    Key(Tensor::scalar(DType::kF32, 1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "Key: a key is uint32[..., 2], but got f32[] [Key.words]");
  }
}

TEST(Draws, DependOnThePositionOnly) {
  const Tensor key = Key(1).words();
  const auto few = random::uniform(key, {10}).to_vector<float>();
  const auto many = random::uniform(key, {1000, 7}).to_vector<float>();
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(Draws, HaveTheMomentsOfTheirDistributions) {
  const Tensor key = Key(2).words();
  double sum = 0, squares = 0, least = 1, greatest = 0;
  for (float x : random::uniform(key, {100000}).to_vector<float>()) {
    sum += x;
    least = std::min<double>(least, x);
    greatest = std::max<double>(greatest, x);
  }
  EXPECT_NEAR(sum / 1e5, 0.5, 0.005);
  EXPECT_GE(least, 0);
  EXPECT_LT(greatest, 1);
  sum = 0;
  for (double x : random::normal(key, {100000}, DType::kF64).to_vector<double>()) {
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.015);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
}

TEST(Generator, StartsAgainWithTheSameSeed) {
  seed(3);
  const auto first = randn({4}).to_vector<float>();
  const auto second = randn({4}).to_vector<float>();
  seed(3);
  EXPECT_EQ(randn({4}).to_vector<float>(), first);
  EXPECT_NE(first, second);
  const random::GeneratorState state = random::generator_state();
  const auto next = rand({4}).to_vector<float>();
  random::set_generator_state(state);
  EXPECT_EQ(rand({4}).to_vector<float>(), next);
}

TEST(Generator, GivesEveryThreadItsOwnKeys) {
  seed(4);
  std::vector<std::vector<uint32_t>> keys(8);
  {
    std::vector<std::jthread> threads;
    for (auto& key : keys) {
      threads.emplace_back([&key] { key = random::next_key().words().to_vector<uint32_t>(); });
    }
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

}  // namespace
}  // namespace weft
