// sort_rows and argsort_rows: elements to keys, vqsort, and back.
#include "weft/kernels/sort.h"

#include <hwy/contrib/sort/vqsort.h>

#include <bit>

#include "weft/kernels/operand.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/sort_key.h"
#include "weft/kernels/sort_packed.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerValue = 0.5;  // for each element and level of the quicksort

// Sorted values of a row whose zeros have both signs: they take the order they came in.
template <class Key, class Bits = typename Key::Bits>
void restore_zeros(Bits* out, const Bits* row, int64_t n) {
  int64_t first = 0;
  while (out[first] != 0) ++first;
  for (int64_t i = 0; i < n; ++i) {
    if ((row[i] & static_cast<Bits>(~Key::kTop)) == 0) out[first++] = row[i];
  }
}

// vqsort is slow on 16 bits: narrow keys are sorted in 32.
template <class Key>
void sort_row(const hwy::Sorter& sorter, typename Key::Bits* out, const typename Key::Bits* row,
              int64_t n, bool descending, char* scratch) {
  using Bits = typename Key::Bits;
  using Wide = std::conditional_t<sizeof(Bits) == 8, uint64_t, uint32_t>;
  const Bits flip = descending ? Key::kOnes : Bits{0};
  auto* const keys = reinterpret_cast<Wide*>(scratch);
  bool has_negative_zero = false;
  for (int64_t i = 0; i < n; ++i) {
    keys[i] = static_cast<Bits>(Key::of(row[i]) ^ flip);
    has_negative_zero |= Key::is_negative_zero(row[i]);
  }
  sorter(keys, static_cast<size_t>(n), hwy::SortAscending());
  for (int64_t i = 0; i < n; ++i) out[i] = Key::element(static_cast<Bits>(keys[i]) ^ flip);
  if (has_negative_zero) restore_zeros<Key>(out, row, n);
}

// The indices of a row's elements in their order. Item is the narrowest that holds key and index.
template <class Item, class Key>
void argsort_row(const hwy::Sorter& sorter, int64_t* out, const typename Key::Bits* row, int64_t n,
                 int index_bits, bool descending, char* scratch) {
  using Bits = typename Key::Bits;
  const Bits flip = descending ? Key::kOnes : Bits{0};
  auto* const items = reinterpret_cast<Item*>(scratch);
  for (int64_t i = 0; i < n; ++i) {
    items[i] = packed_item<Item>(static_cast<Bits>(Key::of(row[i]) ^ flip), i, index_bits);
  }
  sorter(items, static_cast<size_t>(n), hwy::SortAscending());
  for (int64_t i = 0; i < n; ++i) out[i] = index_of(items[i], index_bits);
}

double ns_of_row(int64_t n) {
  return kNsPerValue * static_cast<double>(n) * std::bit_width(static_cast<uint64_t>(n));
}

}  // namespace

void sort_rows(const Tensor& out, const Tensor& in, bool descending) {
  const Operand to = operand_of(out), from = operand_of(in);
  if (to.numel == 0) return;
  const int64_t n = to.dims[to.rank - 1].value();
  with_sort_key(in.dtype(), [&](auto key) {
    using Key = decltype(key);
    using Bits = typename Key::Bits;
    in_tasks(to.numel / n, ns_of_row(n), [&](int64_t begin, int64_t end) {
      const hwy::Sorter sorter;
      const Scratch scratch(n * (sizeof(Bits) == 8 ? 8 : 4));
      for (int64_t row = begin; row < end; ++row) {
        sort_row<Key>(sorter, reinterpret_cast<Bits*>(to.data) + row * n,
                      reinterpret_cast<const Bits*>(from.data) + row * n, n, descending,
                      scratch.data());
      }
    });
  });
}

void argsort_rows(const Tensor& out, const Tensor& in, bool descending) {
  const Operand to = operand_of(out), from = operand_of(in);
  if (to.numel == 0) return;
  const int64_t n = to.dims[to.rank - 1].value();
  with_sort_key(in.dtype(), [&](auto key) {
    using Key = decltype(key);
    using Bits = typename Key::Bits;
    with_packed_item<Bits>(n, [&](auto item, int index_bits) {
      using Item = decltype(item);
      in_tasks(to.numel / n, 2 * ns_of_row(n), [&](int64_t begin, int64_t end) {
        const hwy::Sorter sorter;
        const Scratch scratch(n * static_cast<int64_t>(sizeof(Item)));
        for (int64_t row = begin; row < end; ++row) {
          argsort_row<Item, Key>(sorter, reinterpret_cast<int64_t*>(to.data) + row * n,
                                 reinterpret_cast<const Bits*>(from.data) + row * n, n, index_bits,
                                 descending, scratch.data());
        }
      });
    });
  });
}

}  // namespace weft::kernels
