// Few channels along lines of places: the inputs of a place are stretches of some lines; see
// LineProduct.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/conv/tier_weights.h"

// Four vectors, so that 32 filters are written as they lie, and the inputs broadcast once for all
// of them; as many places as registers last. Of fewer vectors, more places: chains cover the
// latency of their steps.
inline constexpr int kLineVectors = 2 * kMaxVectors;
template <class T, int N>
inline constexpr int kLinePlaces = N == kLineVectors ? (kMaxRows<T> / 2 < 6 ? kMaxRows<T> / 2 : 6)
                                                     : (kMaxRows<T> < 8 ? kMaxRows<T> : 8);

// R places from `place` on, N vectors from column j on.
template <class T, int R, int N>
[[gnu::noinline]] void line_product_tile(const LineProduct<T>& p, int64_t place, int64_t j,
                                         int last_lanes) {
  constexpr int L = kLanes<T>, kPanel = N < kMaxVectors ? N : kMaxVectors;
  const int64_t depth = p.lines * p.length, x_step = p.x_step, y_step = p.y_step;
  const T* b = p.b + j * depth;
  const int64_t next_panel = depth * kMaxCols<T>;
  T* y = p.y + place * y_step + j;
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {  // the places after these
#pragma GCC unroll 4
    for (int n = 0; n < N; n += 64 / WEFT_TIER_BYTES)
      __builtin_prefetch(y + ((R + r) * y_step + n * L), 1);
  }
  Vector<T> acc[R][N] = {};
  for (int64_t s = 0; s < p.lines; ++s) {
    const T* x = p.x[s] + place * x_step;
    for (int64_t k = 0; k < p.length; ++k, ++x, b += kPanel * L) {
      // What is fewer stays in registers.
      if constexpr (N < R) {
        Vector<T> bv[N];
#pragma GCC unroll 4
        for (int n = 0; n < N; ++n) bv[n] = load(b + n / kPanel * next_panel + n % kPanel * L);
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) {
          const Vector<T> xv = broadcast(x[r * x_step]);
#pragma GCC unroll 4
          for (int n = 0; n < N; ++n) acc[r][n] = step<T>(xv, bv[n], acc[r][n]);
        }
      } else {
        Vector<T> xv[R];
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) xv[r] = broadcast(x[r * x_step]);
#pragma GCC unroll 4
        for (int n = 0; n < N; ++n) {
          const Vector<T> bv = load(b + n / kPanel * next_panel + n % kPanel * L);
#pragma GCC unroll 8
          for (int r = 0; r < R; ++r) acc[r][n] = step<T>(xv[r], bv, acc[r][n]);
        }
      }
    }
  }
  const Mask<T> mask(last_lanes);
  const bool full = last_lanes == L;
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r, y += y_step) {
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      if (n + 1 < N || full)
        store(y + n * L, canonical<T>(acc[r][n]));
      else
        mask.store(y + n * L, canonical<T>(acc[r][n]));
    }
  }
}

template <class T, int N>
inline void line_product_panel(const LineProduct<T>& p, int64_t j, int last_lanes) {
  constexpr int R = kLinePlaces<T, N>;
  int64_t place = 0;
  for (; place + R <= p.count; place += R) line_product_tile<T, R, N>(p, place, j, last_lanes);
  for (; place < p.count; ++place) line_product_tile<T, 1, N>(p, place, j, last_lanes);
}

template <class T>
void line_product(const LineProduct<T>& p) {
  constexpr int L = kLanes<T>;
  for (int64_t j = 0; j < p.cols;) {
    const int64_t left = p.cols - j;
    const ColumnPanel<T> panel(p.cols, j);
    if (left > (kLineVectors - 1) * L) {
      const int64_t over = left - (kLineVectors - 1) * L;
      line_product_panel<T, kLineVectors>(p, j, static_cast<int>(over < L ? over : L));
      j += kLineVectors * L;
    } else {
      if (panel.vectors == 2)
        line_product_panel<T, 2>(p, j, panel.last_lanes);
      else
        line_product_panel<T, 1>(p, j, panel.last_lanes);
      j += kMaxCols<T>;
    }
  }
}
