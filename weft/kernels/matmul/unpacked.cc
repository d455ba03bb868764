// The paths without shared packing: small products, few rows, one row.
#include "weft/base/thread_pool.h"
#include "weft/kernels/accumulate.h"
#include "weft/kernels/matmul/problem.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kLeastTask = 1 << 17;  // multiplications of a task

template <class T>
const T* a_of(const Problem<T>& p, int64_t i, int64_t k) {
  return static_cast<const T*>(p.a_at(i, k));
}
template <class T>
const T* b_of(const Problem<T>& p, int64_t k, int64_t j) {
  return static_cast<const T*>(p.b_at(k, j));
}

}  // namespace

template <class T>
void multiply_unpacked(const Problem<T>& p, const T* panels) {
  const int64_t panel_cols = round_up(p.n, p.kernels->lanes);
  const int64_t tile_rows = p.kernels->max_rows;
  const int64_t work = p.n * p.k;
  const int64_t rows = round_up(greater(lesser(p.m, kLeastTask / work), 1), tile_rows);
  const auto body = [&](int64_t tile) {
    const int64_t i = tile * rows;
    const int64_t count = lesser(rows, p.m - i);
    for (int64_t k0 = 0; k0 < p.k; k0 += p.chain) {
      const int64_t k1 = lesser(k0 + p.chain, p.k);
      p.kernels->product({count, p.n, k1 - k0, a_of(p, i, k0), p.a_row, p.a_col, false,
                          panels != nullptr ? panels + k0 * panel_cols : b_of(p, k0, 0), p.b_row,
                          panels != nullptr, p.c_accumulators(i, 0), p.c_row,
                          chain_flags(k0, k1, p.k)});
    }
    p.finish(i, count, 0, p.n);
  };
  const int64_t tiles = ceil_div(p.m, rows);
  if (tiles == 1) return body(0);
  parallel_for(tiles, body);
}

namespace {

// Columns of a skinny product that a task sweeps: long stretches are read faster, but sums shall
// stay in L1 or nearly so, and four threads shall have equal shares of a wide product.
int64_t stretch_of(int64_t rows, int64_t cols, int64_t block, int64_t size) {
  const int64_t most = greater(block, (rows == 1 ? 8192 : 32768) / (rows * size));
  const int64_t least = rows == 1 ? 6144 / size : 1024 / size;
  const int64_t wanted = ceil_div(cols, most);
  const int64_t stretches = greater(wanted, lesser(round_up(wanted, 4), cols / least));
  return round_up(ceil_div(cols, stretches), block);
}

}  // namespace

// A few rows of B at a time are swept, so that B is read once, along its rows, while the sums of a
// stretch of columns stay in cache.
template <class T>
void multiply_skinny(const Problem<T>& p) {
  const int64_t size = static_cast<int64_t>(sizeof(T));
  const int64_t stretch = stretch_of(p.m, p.n, p.kernels->max_cols, size);
  parallel_for(ceil_div(p.n, stretch), [&](int64_t tile) {
    const int64_t j = tile * stretch;
    const int64_t cols = lesser(stretch, p.n - j);
    const Workspace sums(p.m * stretch * size);
    for (int64_t k0 = 0; k0 < p.k; k0 += p.chain) {
      const int64_t k1 = lesser(k0 + p.chain, p.k);
      p.kernels->sweep({p.m, cols, k1 - k0, a_of(p, 0, k0), p.a_row, p.a_col, b_of(p, k0, j),
                        p.b_row, sums.as<T>()});
      p.kernels->end_sweep(
          {p.m, cols, sums.as<T>(), p.c_accumulators(0, j), p.c_row, chain_flags(k0, k1, p.k)});
    }
    p.finish(0, p.m, j, cols);
  });
}

template <class T>
void multiply_row(const Problem<T>& p) {
  const int64_t wide = 4 * p.kernels->lanes;
  const int64_t cols =
      lesser(round_up(p.n, wide), round_up(greater(1, 4 * kLeastTask / p.k), wide));
  parallel_for(ceil_div(p.n, cols), [&](int64_t tile) {
    const int64_t j = tile * cols;
    const int64_t count = lesser(cols, p.n - j);
    p.kernels->row_product({count, p.k, p.chain, a_of(p, 0, 0), p.a_col, b_of(p, 0, j), p.b_col,
                            p.c_accumulators(0, j)});
    p.finish(0, 1, j, count);
  });
}

template <class T>
void multiply_chains(const Problem<T>& p) {
  constexpr int64_t kChainsOfTask = 64;
  const int64_t whole = p.k / p.chain, rest = p.k - whole * p.chain;
  const Workspace space((whole + 1) * static_cast<int64_t>(sizeof(T)));
  T* const sums = space.as<T>();
  for (int64_t j = 0; j < p.n; ++j) {
    const T *const a = a_of(p, 0, 0), *const b = b_of(p, 0, j);
    parallel_for(ceil_div(whole, kChainsOfTask), [&](int64_t task) {
      const int64_t first = task * kChainsOfTask, begin = first * p.chain;
      p.kernels->chain_sums(
          {lesser(kChainsOfTask, whole - first), p.chain, a + begin, b + begin, sums + first});
    });
    const int64_t begin = whole * p.chain;
    if (rest > 0) p.kernels->chain_sums({1, rest, a + begin, b + begin, sums + whole});
    T total = sums[0];
    for (int64_t i = 1; i < ceil_div(p.k, p.chain); ++i) total = total + sums[i];
    *p.c_accumulators(0, j) = canonical(total);
  }
  p.finish(0, 1, 0, p.n);
}

#define WEFT_INSTANTIATE(T)                                     \
  template void multiply_unpacked(const Problem<T>&, const T*); \
  template void multiply_skinny(const Problem<T>&);             \
  template void multiply_row(const Problem<T>&);                \
  template void multiply_chains(const Problem<T>&);
WEFT_INSTANTIATE(float)
WEFT_INSTANTIATE(double)
WEFT_INSTANTIATE(uint32_t)
WEFT_INSTANTIATE(uint64_t)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
