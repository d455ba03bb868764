// Greedy placement of blocks, the largest first.
#include "weft/compile/arena.h"

#include <algorithm>
#include <numeric>

#include "weft/base/sizes.h"

namespace weft::compile {
namespace {

bool meet(const Lifetime& a, const Lifetime& b) { return a.birth <= b.death && b.birth <= a.death; }

int64_t lower_bound_of(std::span<const Lifetime> blocks) {
  struct Change {
    uint32_t step;
    int64_t bytes;
  };
  std::vector<Change> changes;
  for (const Lifetime& block : blocks) {
    const int64_t bytes = round_up(block.bytes, kArenaAlignment);
    changes.push_back({block.birth, bytes});
    changes.push_back({block.death + 1, -bytes});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.step != b.step ? a.step < b.step : a.bytes < b.bytes;
  });
  int64_t live = 0, most = 0;
  for (const Change& change : changes) most = std::max(most, live += change.bytes);
  return most;
}

// Places the blocks in this order, each into the smallest gap between those it meets.
Arena placed(std::span<const Lifetime> blocks, std::span<const uint32_t> order) {
  Arena out;
  out.offsets.assign(blocks.size(), 0);
  std::vector<uint32_t> there;  // by offset
  for (const uint32_t id : order) {
    const int64_t bytes = round_up(blocks[id].bytes, kArenaAlignment);
    int64_t best = -1, best_gap = INT64_MAX, end = 0;
    for (const uint32_t other : there) {
      if (!meet(blocks[id], blocks[other])) continue;
      const int64_t gap = out.offsets[other] - end;
      if (gap >= bytes && gap < best_gap) best = end, best_gap = gap;
      end = std::max(end, out.offsets[other] + round_up(blocks[other].bytes, kArenaAlignment));
    }
    out.offsets[id] = best >= 0 ? best : end;
    out.bytes = std::max(out.bytes, out.offsets[id] + bytes);
    const auto place = std::lower_bound(
        there.begin(), there.end(), out.offsets[id],
        [&](uint32_t other, int64_t offset) { return out.offsets[other] < offset; });
    there.insert(place, id);
  }
  return out;
}

}  // namespace

Arena plan_arena(std::span<const Lifetime> blocks) {
  std::vector<uint32_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0u);
  const int64_t bound = lower_bound_of(blocks);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return blocks[a].bytes > blocks[b].bytes; });
  Arena best = placed(blocks, order);
  if (best.bytes > bound) {
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      const uint32_t x = blocks[a].death - blocks[a].birth, y = blocks[b].death - blocks[b].birth;
      return x != y ? x > y : blocks[a].bytes > blocks[b].bytes;
    });
    Arena longest = placed(blocks, order);
    if (longest.bytes < best.bytes) best = std::move(longest);
  }
  if (best.bytes > bound) {
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return blocks[a].birth < blocks[b].birth; });
    Arena earliest = placed(blocks, order);
    if (earliest.bytes < best.bytes) best = std::move(earliest);
  }
  best.lower_bound = bound;
  return best;
}

}  // namespace weft::compile
