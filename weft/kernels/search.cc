// search_rows: where values would go in sorted rows.
#include "weft/kernels/operand.h"
#include "weft/kernels/sort.h"
#include "weft/kernels/sort_key.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerValue = 30;

// How many elements of `row` have a key below `key` (or, to the right of equals, at most `key`).
template <class Key>
int64_t place_of(const typename Key::Bits* row, int64_t n, typename Key::Bits key, bool right) {
  int64_t low = 0, count = n;
  while (count > 0) {
    const int64_t half = count / 2;
    const auto there = Key::of(row[low + half]);
    const bool before = right ? there <= key : there < key;
    low = before ? low + half + 1 : low;
    count = before ? count - half - 1 : half;
  }
  return low;
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
    in_tasks(to.numel, kNsPerValue, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Bits* const row = all + i / per_row * n;
        reinterpret_cast<int64_t*>(to.data)[i] = place_of<Key>(row, n, Key::of(value[i]), right);
      }
    });
  });
}

}  // namespace weft::kernels
