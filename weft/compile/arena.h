// The planner of arenas: which values share memory, because one is gone when the other begins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::compile {

inline constexpr int64_t kArenaAlignment = 64;

// A block that is needed from step `birth` up to and with step `death`.
struct Lifetime {
  int64_t bytes = 0;
  uint32_t birth = 0, death = 0;
};

struct Arena {
  std::vector<int64_t> offsets;  // of each block, multiples of kArenaAlignment
  int64_t bytes = 0;
  int64_t lower_bound = 0;  // the most bytes that live at once: no plan takes less
};

// Blocks whose lives meet in a step do not overlap. Greedy by size, each into the smallest gap it
// fits (Pisarchyk and Lee, 2020); where that leaves gaps, by length of life and by birth, whichever
// takes least.
Arena plan_arena(std::span<const Lifetime> blocks);

}  // namespace weft::compile
