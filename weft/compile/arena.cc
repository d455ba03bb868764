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
  const int64_t bound = lower_bound_of(blocks);
  const auto length = [&](uint32_t i) { return blocks[i].death - blocks[i].birth; };
  const auto by_size = [&](uint32_t a, uint32_t b) {
    return blocks[a].bytes != blocks[b].bytes ? blocks[a].bytes > blocks[b].bytes : a < b;
  };
  const auto by_length = [&](uint32_t a, uint32_t b) {
    return length(a) != length(b) ? length(a) > length(b) : by_size(a, b);
  };
  const auto by_birth = [&](uint32_t a, uint32_t b) {
    return blocks[a].birth != blocks[b].birth ? blocks[a].birth < blocks[b].birth : by_size(a, b);
  };
  std::vector<uint32_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0u);
  Arena best;
  best.bytes = INT64_MAX;
  const auto try_order = [&](const auto& before) {
    if (best.bytes == bound) return;
    std::sort(order.begin(), order.end(), before);
    Arena found = placed(blocks, order);
    if (found.bytes < best.bytes) best = std::move(found);
  };
  try_order(by_size);
  try_order(by_length);
  try_order(by_birth);
  best.lower_bound = bound;
  return best;
}

}  // namespace weft::compile
