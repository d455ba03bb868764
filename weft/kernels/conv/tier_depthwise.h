// Depthwise micro-kernels: vectors of channels, each with its own window.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/conv/tier_few_filters.h"

inline constexpr int kDepthwiseRows = 4;
inline constexpr int kDepthwiseTaps = 9;  // accumulators of one pass over the places

template <class T, bool whole>
inline Vector<T> load_some(const T* from, const Mask<T>& mask) {
  if constexpr (whole)
    return load(from);
  else
    return mask.load(from);
}

inline constexpr bool kStoresPast = WEFT_TIER_BYTES >= 32;  // portable code has no such stores
inline constexpr int64_t kBuffered = 16 * 1024;  // bytes that stay in L1 until they are stored so

// Whole lines of cache, by stores that do not read a line before they fill it.
inline void store_past(char* to, const char* from, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += WEFT_TIER_BYTES) {
#if WEFT_TIER_BYTES == 64
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_load_si512(from + i));
#elif WEFT_TIER_BYTES == 32
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_load_si256(reinterpret_cast<const __m256i*>(from + i)));
#else
    for (int64_t k = i; k < i + WEFT_TIER_BYTES; ++k) to[k] = from[k];
#endif
  }
}

// R rows of N vectors from column j on.
template <class T, int R, int N, bool whole>
inline void depthwise_tile(const DepthwiseProduct<T>& p, const T* const* table, T* const* c,
                           int64_t j, const Mask<T>& mask) {
  constexpr int L = kLanes<T>;
  Vector<T> acc[R][N] = {};
  const T* w = p.w + j;
  for (int64_t s = 0; s < p.segments; ++s, w += p.w_row, table += p.table_row) {
    Vector<T> wv[N];
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) wv[n] = load_some<T, whole>(w + n * L, mask);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const T* a = table[r] + j;
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) {
        acc[r][n] = step<T>(load_some<T, whole>(a + n * L, mask), wv[n], acc[r][n]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      const Vector<T> sum = canonical<T>(acc[r][n]);
      if constexpr (whole)
        store(c[r] + j + n * L, sum);
      else
        mask.store(c[r] + j + n * L, sum);
    }
  }
}

template <class T, int R>
inline void depthwise_rows(const DepthwiseProduct<T>& p, int64_t row) {
  constexpr int L = kLanes<T>;
  const T* const* table = p.table + row;
  T* const* c = p.c + row;
  const Mask<T> mask(static_cast<int>(p.cols % L));
  int64_t j = 0;
  for (; j + 2 * L <= p.cols; j += 2 * L) depthwise_tile<T, R, 2, true>(p, table, c, j, mask);
  if (j + L <= p.cols) {
    depthwise_tile<T, R, 1, true>(p, table, c, j, mask);
    j += L;
  }
  if (j < p.cols) depthwise_tile<T, R, 1, false>(p, table, c, j, mask);
}

template <class T>
void depthwise_product(const DepthwiseProduct<T>& p) {
  int64_t row = 0;
  for (; row + kDepthwiseRows <= p.rows; row += kDepthwiseRows) {
    depthwise_rows<T, kDepthwiseRows>(p, row);
  }
  for (; row < p.rows; ++row) depthwise_rows<T, 1>(p, row);
}

// S taps of one vector from column j on, over all steps.
template <class T, int S, bool whole>
inline void taps_tile(const DepthwiseTaps<T>& p, int64_t first, int64_t j, const Mask<T>& mask) {
  Vector<T> acc[S] = {};
  const T* const* table = p.table + first * p.table_row;
  for (int64_t k = 0; k < p.k; ++k) {
    const Vector<T> g = load_some<T, whole>(p.g[k] + j, mask);
#pragma GCC unroll 16
    for (int s = 0; s < S; ++s) {
      acc[s] = step<T>(load_some<T, whole>(table[s * p.table_row + k] + j, mask), g, acc[s]);
    }
  }
#pragma GCC unroll 16
  for (int s = 0; s < S; ++s) {
    T* to = p.c + (first + s) * p.c_row + j;
    if constexpr (whole)
      store(to, acc[s]);
    else
      mask.store(to, acc[s]);
  }
}

template <class T, int S>
inline void taps_columns(const DepthwiseTaps<T>& p, int64_t first) {
  constexpr int L = kLanes<T>;
  const Mask<T> mask(static_cast<int>(p.cols % L));
  int64_t j = 0;
  for (; j + L <= p.cols; j += L) taps_tile<T, S, true>(p, first, j, mask);
  if (j < p.cols) taps_tile<T, S, false>(p, first, j, mask);
}

template <class T>
void depthwise_taps(const DepthwiseTaps<T>& p) {
  int64_t s = 0;
  for (; s + kDepthwiseTaps <= p.segments; s += kDepthwiseTaps) {
    taps_columns<T, kDepthwiseTaps>(p, s);
  }
  for (; s + 3 <= p.segments; s += 3) taps_columns<T, 3>(p, s);
  for (; s < p.segments; ++s) taps_columns<T, 1>(p, s);
}
