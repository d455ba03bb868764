// The weight gradient of few channels along lines of places; see LineWeights.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/conv/tier_product.h"

// Asks for one line of cache at every step, while one is left.
struct LinesAhead {
  const char* at;
  int64_t step;
};

// R rows (an element of a stretch each) of N vectors, over a line of places.
template <class T, int R, int N>
void line_weights_micro(const LineWeights<T>& p, int64_t row, int64_t j, int last_lanes,
                        LinesAhead ahead) {
  constexpr int L = kLanes<T>;
  const Mask<T> mask(last_lanes);
  const bool full = last_lanes == L;
  T* const c = p.sums + row * p.filters + j;
  Vector<T> acc[R][N];
  const T* x[R];
  int64_t line = row / p.length, element = row % p.length;
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r, ++element) {
    if (element == p.length) ++line, element = 0;
    x[r] = p.x[line * p.x_row] + element;
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      const T* const at = c + r * p.filters + n * L;
      acc[r][n] = n + 1 < N || full ? load(at) : mask.load(at);
    }
  }
  const T* g = p.g + j;
  for (int64_t i = 0, at = 0; i < p.count; ++i, at += p.x_step, g += p.g_row) {
    __builtin_prefetch(ahead.at, 0, 2);
    ahead.at += ahead.step;
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

template <class T, int N, size_t... R>
constexpr auto line_weights_micros_of(std::index_sequence<R...>) {
  struct Table {
    void (*by_rows[sizeof...(R)])(const LineWeights<T>&, int64_t, int64_t, int, LinesAhead);
  };
  return Table{{line_weights_micro<T, static_cast<int>(R) + 1, N>...}};
}
template <class T, int N>
inline constexpr auto kLineWeightsMicros =
    line_weights_micros_of<T, N>(std::make_index_sequence<kPlaceRows<T>>{});

template <class T>
void line_weights(const LineWeights<T>& p) {
  const RowPanels panels(p.lines * p.length, kPlaceRows<T>);
  const char* ahead[2] = {p.ahead[0], p.ahead[1]};
  int64_t left[2] = {p.ahead_lines[0], p.ahead_lines[1]};
  for (int64_t j = 0; j < p.filters; j += kMaxCols<T>) {
    const ColumnPanel<T> panel(p.filters, j);
    for (int64_t i = 0, row = 0; i < panels.count; ++i) {
      const int64_t rows = panels.rows_of(i);
      const int which = left[0] > 0 ? 0 : 1;
      const bool asks = left[which] > 0;
      const LinesAhead lines{asks ? ahead[which] : reinterpret_cast<const char*>(p.g),
                             asks ? 64 : 0};
      ahead[which] += asks ? p.count * 64 : 0;
      left[which] -= p.count;
      (panel.vectors == 1
           ? kLineWeightsMicros<T, 1>.by_rows[rows - 1]
           : kLineWeightsMicros<T, 2>.by_rows[rows - 1])(p, row, j, panel.last_lanes, lines);
      row += rows;
    }
  }
}
