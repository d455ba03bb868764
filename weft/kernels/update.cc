// Tiles of all tensors in a row: a thousand small ones cost one fork, and a large one is shared.
#include "weft/kernels/update.h"

#include <algorithm>
#include <vector>

#include "weft/base/error.h"
#include "weft/kernels/loop.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr int64_t kTile = 16384;  // elements
constexpr double kNsPerElement = 1;
constexpr int64_t kNoStrides[2 * kMaxOperands] = {};

// Part of one tensor, [first, first + n).
void run_tile(const UpdateCall& call, size_t tensor, int64_t first, int64_t n) {
  const size_t scalars = call.scalars.size();
  const size_t each = call.pointers.size() / call.sizes.size();
  void* const* const own = call.pointers.data() + tensor * each;
  void* here[2 * kMaxOperands];
  size_t next = 0;
  // The kernel's order: outputs, scalars, tensors.
  const auto add = [&](size_t k) { here[next++] = static_cast<char*>(own[k]) + first * call.item; };
  const auto outputs = static_cast<size_t>(call.outputs);
  for (size_t k = 0; k < outputs; ++k) add(k);
  for (size_t k = 0; k < scalars; ++k) here[next++] = call.scalars[k];
  for (size_t k = outputs; k < each; ++k) add(k);
  call.kernel(here, kNoStrides, n, 1, 0);
}

}  // namespace

void update(const UpdateCall& call) {
  const size_t count = call.sizes.size();
  if (count == 0) return;
  const size_t operands = call.pointers.size() / count + call.scalars.size();
  WEFT_ASSERT(operands <= 2 * kMaxOperands, "an update of ", operands, " operands");
  std::vector<int64_t> first_tile(count + 1, 0);  // of each tensor
  int64_t elements = 0;
  for (size_t i = 0; i < count; ++i) {
    first_tile[i + 1] = first_tile[i] + (call.sizes[i] + kTile - 1) / kTile;
    elements += call.sizes[i];
  }
  const int64_t tiles = first_tile[count];
  if (tiles == 0) return;
  const double ns = kNsPerElement * static_cast<double>(elements) / static_cast<double>(tiles);
  in_tasks(tiles, ns, [&](int64_t begin, int64_t end) {
    const auto after = std::upper_bound(first_tile.begin(), first_tile.end(), begin);
    auto tensor = static_cast<size_t>(after - first_tile.begin()) - 1;
    for (int64_t tile = begin; tile < end; ++tile) {
      while (first_tile[tensor + 1] <= tile) ++tensor;
      const int64_t first = (tile - first_tile[tensor]) * kTile;
      run_tile(call, tensor, first, std::min(kTile, call.sizes[tensor] - first));
    }
  });
}

}  // namespace weft::kernels
