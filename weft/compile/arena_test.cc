// The planner: nothing overlaps that lives at once, and little is wasted.
#include "weft/compile/arena.h"

#include <gtest/gtest.h>

#include <random>

namespace weft::compile {
namespace {

void expect_disjoint(std::span<const Lifetime> blocks, const Arena& arena) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(arena.offsets[i] % kArenaAlignment, 0);
    EXPECT_LE(arena.offsets[i] + blocks[i].bytes, arena.bytes);
    for (size_t k = 0; k < i; ++k) {
      const bool meet = blocks[i].birth <= blocks[k].death && blocks[k].birth <= blocks[i].death;
      const bool overlap = arena.offsets[i] < arena.offsets[k] + blocks[k].bytes &&
                           arena.offsets[k] < arena.offsets[i] + blocks[i].bytes;
      EXPECT_FALSE(meet && overlap) << i << " and " << k;
    }
  }
}

TEST(Arena, a_chain_takes_two_blocks) {
  const Lifetime blocks[] = {{1000, 0, 1}, {1000, 1, 2}, {1000, 2, 3}, {1000, 3, 4}};
  const Arena arena = plan_arena(blocks);
  expect_disjoint(blocks, arena);
  EXPECT_EQ(arena.bytes, 2 * 1024);
  EXPECT_EQ(arena.lower_bound, 2 * 1024);
}

TEST(Arena, nothing_at_all) { EXPECT_EQ(plan_arena({}).bytes, 0); }

TEST(Arena, random_lives_never_overlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<Lifetime> blocks;
    for (int i = 0; i < 60; ++i) {
      const uint32_t birth = random() % 50, length = random() % 10;
      blocks.push_back({static_cast<int64_t>(random() % 10000 + 1), birth, birth + length});
    }
    const Arena arena = plan_arena(blocks);
    expect_disjoint(blocks, arena);
    EXPECT_GE(arena.bytes, arena.lower_bound);
    EXPECT_LE(static_cast<double>(arena.bytes), 1.25 * static_cast<double>(arena.lower_bound));
  }
}

}  // namespace
}  // namespace weft::compile
