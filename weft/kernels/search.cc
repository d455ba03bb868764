// search_rows: where values would go in sorted rows.
#include <algorithm>

#include "weft/kernels/operand.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/sort.h"
#include "weft/kernels/sort_key.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerValue = 15;
constexpr int64_t kTogether = 16;  // values that are searched for at once, so that reads overlap

// How many elements of `row` have a key below each of `count` keys (or, to the right of equals, at
// most that key). Halves without branches: all keys take the same steps.
template <bool right, class KeyAt, class Bits>
void find_places(int64_t* out, const KeyAt& key_at, int64_t n, const Bits* keys, int64_t count) {
  const auto before = [&](int64_t at, int64_t q) {
    const Bits there = key_at(at);
    return static_cast<int64_t>(right ? there <= keys[q] : there < keys[q]);
  };
  for (int64_t q = 0; q < count; ++q) out[q] = 0;
  if (n == 0) return;
  int64_t length = n;
  for (; length > 1; length -= length / 2) {
    const int64_t half = length / 2;
    for (int64_t q = 0; q < count; ++q) out[q] += -before(out[q] + half - 1, q) & half;
  }
  for (int64_t q = 0; q < count; ++q) out[q] += before(out[q], q);
}

}  // namespace

void search_rows(const Tensor& out, const Tensor& sorted, const Tensor& values, bool right) {
  const Operand to = operand_of(out), rows = operand_of(sorted), asked = operand_of(values);
  if (to.numel == 0) return;
  const int64_t n = rows.dims[rows.rank - 1].value();
  const int64_t row_count = rows.rank == 1 ? 1 : rows.numel / std::max<int64_t>(n, 1);
  const int64_t per_row = n == 0 ? to.numel : to.numel / row_count;
  with_sort_key(sorted.dtype(), [&](auto kind) {
    using Key = decltype(kind);
    using Bits = typename Key::Bits;
    const auto* const all = reinterpret_cast<const Bits*>(rows.data);
    const auto* const value = reinterpret_cast<const Bits*>(asked.data);
    // Many values: the keys of the rows are made once, not at every look.
    const bool prepared = to.numel >= rows.numel;
    const Scratch scratch(prepared ? rows.numel * int64_t{sizeof(Bits)} : 0);
    auto* const ready = reinterpret_cast<Bits*>(scratch.data());
    for (int64_t i = 0; prepared && i < rows.numel; ++i) ready[i] = Key::of(all[i]);
    in_tasks(to.numel, kNsPerValue, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t row = begin / per_row;
        const int64_t count = std::min({kTogether, end - begin, (row + 1) * per_row - begin});
        Bits keys[kTogether];
        for (int64_t q = 0; q < count; ++q) keys[q] = Key::of(value[begin + q]);
        const auto find = [&](const auto& key_at) {
          int64_t* const places = reinterpret_cast<int64_t*>(to.data) + begin;
          right ? find_places<true>(places, key_at, n, keys, count)
                : find_places<false>(places, key_at, n, keys, count);
        };
        if (prepared) {
          find([row_keys = ready + row * n](int64_t at) { return row_keys[at]; });
        } else {
          find([elements = all + row * n](int64_t at) { return Key::of(elements[at]); });
        }
        begin += count;
      }
    });
  });
}

}  // namespace weft::kernels
