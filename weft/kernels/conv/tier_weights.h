// The weight gradient of few channels along lines of places; see LineWeights.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/conv/tier_product.h"

// R rows (an element of a stretch each) of N vectors, over a line of places. If it asks, then for
// one line of cache at every step: a form of its own, since it takes registers.
template <class T, int R, int N, bool asks>
void line_weights_micro(const LineWeights<T>& p, int64_t row, int64_t j, int last_lanes,
                        const char* ahead) {
  constexpr int L = kLanes<T>;
  const Mask<T> mask(last_lanes);
  const bool full = last_lanes == L;
  T* const c = p.sums + row * p.filters + j;
  Vector<T> acc[R][N];
  const T* x[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    x[r] = p.x[(row + r) / p.length * p.x_row] + (row + r) % p.length;
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      const T* const at = c + r * p.filters + n * L;
      acc[r][n] = n + 1 < N || full ? load(at) : mask.load(at);
    }
  }
  const T* g = p.g + j;
  for (int64_t i = 0, at = 0; i < p.count; ++i, at += p.x_step, g += p.g_row) {
    if constexpr (asks) {
      __builtin_prefetch(ahead, 0, 2);
      ahead += 64;
    }
    Vector<T> gv[N];
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) gv[n] = n + 1 < N || full ? load(g + n * L) : mask.load(g + n * L);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Vector<T> xv = broadcast(x[r][at]);
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) acc[r][n] = step<T>(xv, gv[n], acc[r][n]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      T* const at = c + r * p.filters + n * L;
      if (n + 1 < N || full)
        store(at, acc[r][n]);
      else
        mask.store(at, acc[r][n]);
    }
  }
}

template <class T, int N, bool asks, size_t... R>
constexpr auto line_weights_micros_of(std::index_sequence<R...>) {
  struct Table {
    void (*by_rows[sizeof...(R)])(const LineWeights<T>&, int64_t, int64_t, int, const char*);
  };
  return Table{{line_weights_micro<T, static_cast<int>(R) + 1, N, asks>...}};
}
template <class T, int N, bool asks>
inline constexpr auto kLineWeightsMicros =
    line_weights_micros_of<T, N, asks>(std::make_index_sequence<kPlaceRows<T>>{});

template <class T, bool asks>
inline void line_weights_tile(const LineWeights<T>& p, int64_t row, int64_t rows, int64_t j,
                              const char* ahead) {
  const ColumnPanel<T> panel(p.filters, j);
  (panel.vectors == 1
       ? kLineWeightsMicros<T, 1, asks>.by_rows[rows - 1]
       : kLineWeightsMicros<T, 2, asks>.by_rows[rows - 1])(p, row, j, panel.last_lanes, ahead);
}

template <class T>
void line_weights(const LineWeights<T>& p) {
  const RowPanels panels(p.lines * p.length, kPlaceRows<T>);
  const char* ahead[2] = {p.ahead[0], p.ahead[1]};
  int64_t left[2] = {p.ahead_lines[0], p.ahead_lines[1]};
  for (int64_t j = 0; j < p.filters; j += kMaxCols<T>) {
    for (int64_t i = 0, row = 0; i < panels.count; ++i) {
      const int64_t rows = panels.rows_of(i);
      const int which = left[0] > 0 ? 0 : 1;
      if (left[which] > 0) {
        line_weights_tile<T, true>(p, row, rows, j, ahead[which]);
        ahead[which] += p.count * 64;
        left[which] -= p.count;
      } else {
        line_weights_tile<T, false>(p, row, rows, j, nullptr);
      }
      row += rows;
    }
  }
}
