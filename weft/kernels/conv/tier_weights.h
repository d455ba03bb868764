// The weight gradient of few channels along lines of places; see LineWeights.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/conv/tier_product.h"

// R rows (an element of a stretch each, at x[r]) of N vectors, over a line of places. If it asks,
// then for one line of cache at every step: a form of its own, since it takes registers. The
// pointers pass through an empty asm, or gcc would take them apart and keep the parts in memory.
template <class T, int R, int N, bool asks>
void line_weights_micro(const LineWeights<T>& p, const T* const* rows, T* c, int64_t j,
                        int last_lanes, const char* ahead) {
  constexpr int L = kLanes<T>;
  const Mask<T> mask(last_lanes);
  // With masks in registers of their own, a part is loaded as quickly as a whole.
  const bool full = WEFT_TIER_BYTES < 64 && last_lanes == L;
  const int64_t x_step = p.x_step, g_row = p.g_row, length = p.count * x_step;
  Vector<T> acc[R][N];
  const T* x[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    x[r] = rows[r] + length;
    __asm__("" : "+r"(x[r]));
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      const T* const at = c + r * p.filters + n * L;
      acc[r][n] = n + 1 < N || full ? load(at) : mask.load(at);
    }
  }
  const T* g = p.g + j;
  for (int64_t at = -length; at < 0; at += x_step, g += g_row) {
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

template <class T>
using LineWeightsMicro = void (*)(const LineWeights<T>&, const T* const*, T*, int64_t, int,
                                  const char*);
template <class T, int N, bool asks, size_t... R>
constexpr auto line_weights_micros_of(std::index_sequence<R...>) {
  struct Table {
    LineWeightsMicro<T> by_rows[sizeof...(R)];
  };
  return Table{{line_weights_micro<T, static_cast<int>(R) + 1, N, asks>...}};
}
template <class T, int N, bool asks>
inline constexpr auto kLineWeightsMicros =
    line_weights_micros_of<T, N, asks>(std::make_index_sequence<kPlaceRows<T>>{});

template <class T, bool asks>
inline LineWeightsMicro<T> find_line_weights_micro(int64_t rows, int vectors) {
  return vectors == 1 ? kLineWeightsMicros<T, 1, asks>.by_rows[rows - 1]
                      : kLineWeightsMicros<T, 2, asks>.by_rows[rows - 1];
}

template <class T>
void line_weights(const LineWeights<T>& p) {
  const RowPanels panels(p.lines * p.length, kPlaceRows<T>);
  const char* ahead[2] = {p.ahead[0], p.ahead[1]};
  int64_t left[2] = {p.ahead_lines[0], p.ahead_lines[1]};
  T* c = p.sums;
  for (int64_t i = 0, line = 0, element = 0; i < panels.count; ++i) {
    const int64_t rows = panels.rows_of(i);
    const T* x[kPlaceRows<T>];
    for (int64_t r = 0; r < rows; ++r) {
      x[r] = p.x[line * p.x_row] + element;
      if (++element == p.length) ++line, element = 0;
    }
    for (int64_t j = 0; j < p.filters; j += kMaxCols<T>) {
      const ColumnPanel<T> panel(p.filters, j);
      const int which = left[0] > 0 ? 0 : 1;
      const bool asks = left[which] > 0;
      (asks ? find_line_weights_micro<T, true>(rows, panel.vectors)
            : find_line_weights_micro<T, false>(rows, panel.vectors))(
          p, x, c + j, j, panel.last_lanes, ahead[which]);
      if (!asks) continue;
      ahead[which] += p.count * 64;
      left[which] -= p.count;
    }
    c += rows * p.filters;
  }
}
