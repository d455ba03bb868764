// running_extremum: where in a row the greatest or least element so far is.
#include <algorithm>

#include "weft/base/cpu.h"
#include "weft/kernels/operand.h"
#include "weft/kernels/sort.h"
#include "weft/kernels/sort_key.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerElement = 1.0;

// Keys are turned so that the least wins; NaN wins over all else, and the first of several.
template <class Key, bool largest>
[[gnu::always_inline]] inline void run_row(int64_t* out, const typename Key::Bits* row, int64_t n) {
  using Bits = typename Key::Bits;
  const auto turned = [](Bits bits) {
    const Bits key = Key::of(bits);
    if (Key::kIsFloat && key == Key::kOnes) return Bits{0};
    return static_cast<Bits>(largest ? ~key : key);
  };
  int64_t best = 0;
  Bits best_key = turned(row[0]);
  const auto one_by_one = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Bits key = turned(row[i]);
      if (key < best_key) best_key = key, best = i;
      out[i] = best;
    }
  };
  constexpr int64_t kBlock = 16;  // mostly nothing in it wins: vectors see that
  int64_t begin = 0;
  for (; begin + kBlock <= n; begin += kBlock) {
    int any = 0;
    for (int64_t i = begin; i < begin + kBlock; ++i) any |= turned(row[i]) < best_key;
    if (any) {
      one_by_one(begin, begin + kBlock);
    } else {
      std::fill_n(out + begin, kBlock, best);
    }
  }
  one_by_one(begin, n);
}

template <class Key>
using RunRow = void (*)(int64_t*, const typename Key::Bits*, int64_t);

template <class Key, bool largest>
void run_row_portable(int64_t* out, const typename Key::Bits* row, int64_t n) {
  run_row<Key, largest>(out, row, n);
}
#if defined(__x86_64__)
template <class Key, bool largest>
[[gnu::target("avx2")]] void run_row_avx2(int64_t* out, const typename Key::Bits* row, int64_t n) {
  run_row<Key, largest>(out, row, n);
}
#endif

template <class Key, bool largest>
RunRow<Key> run_row_here() {
#if defined(__x86_64__)
  if (current_isa() != Isa::portable) return run_row_avx2<Key, largest>;
#endif
  return run_row_portable<Key, largest>;
}

}  // namespace

void running_extremum(const Tensor& out, const Tensor& in, bool largest) {
  const Operand to = operand_of(out), from = operand_of(in);
  if (to.numel == 0) return;
  const int64_t n = to.dims[to.rank - 1].value();
  with_sort_key(in.dtype(), [&](auto key) {
    using Key = decltype(key);
    using Bits = typename Key::Bits;
    const RunRow<Key> run = largest ? run_row_here<Key, true>() : run_row_here<Key, false>();
    const double ns = kNsPerElement * static_cast<double>(n);
    in_tasks(to.numel / n, ns, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        run(reinterpret_cast<int64_t*>(to.data) + row * n,
            reinterpret_cast<const Bits*>(from.data) + row * n, n);
      }
    });
  });
}

}  // namespace weft::kernels
