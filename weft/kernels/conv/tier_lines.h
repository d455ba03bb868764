// Depthwise windows of 3 x 3 along a line, whose inputs lie on padded lines.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/conv/tier_depthwise.h"

// R neighbouring places of one vector: an input is loaded once for all the places that it meets.
template <class T, int R, int S, bool whole>
[[gnu::always_inline]] inline void line_tile(const T* const* lines, const T* w, T* y, int64_t cols,
                                             int64_t y_step, const Mask<T>& mask) {
  Vector<T> acc[R] = {};
#pragma GCC unroll 4
  for (int line = 0; line < 3; ++line) {
    const T* x = lines[line];
    Vector<T> wv[3];
#pragma GCC unroll 4
    for (int k = 0; k < 3; ++k) wv[k] = load_some<T, whole>(w + (line * 3 + k) * cols, mask);
#pragma GCC unroll 16
    for (int i = 0; i < (R - 1) * S + 3; ++i) {
      const Vector<T> xv = load_some<T, whole>(x + i * cols, mask);
#pragma GCC unroll 4
      for (int k = 0; k < 3; ++k) {
        const int r = (i - k) / S;
        if (i >= k && (i - k) % S == 0 && r < R) acc[r] = step<T>(xv, wv[k], acc[r]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    if constexpr (whole)
      store(y + r * y_step, canonical<T>(acc[r]));
    else
      mask.store(y + r * y_step, canonical<T>(acc[r]));
  }
}

template <class T, int R, int S>
[[gnu::noinline]] void line_places(const DepthwiseLineForward<T>& p, int64_t place) {
  constexpr int L = kLanes<T>;
  const int64_t cols = p.x.cols, y_step = p.y_step;
  const Mask<T> mask(static_cast<int>(cols % L));
  const T* lines[3];
  for (int i = 0; i < 3; ++i) lines[i] = p.x.lines[i] + place * S * cols;
  const T* w = p.w;
  T* y = p.y + place * y_step;
  const char* ahead = p.ahead + place * p.ahead_step;
  const char* const ahead_end = p.ahead + (place + R) * p.ahead_step;
  int64_t j = 0;
  for (; j + L <= cols; j += L, w += L, y += L) {
    for (int i = 0; i < R * S && ahead < ahead_end; ++i, ahead += 64)
      __builtin_prefetch(ahead, 0, 2);
    line_tile<T, R, S, true>(lines, w, y, cols, y_step, mask);
    for (const T*& line : lines) line += L;
  }
  if (j < cols) line_tile<T, R, S, false>(lines, w, y, cols, y_step, mask);
}

template <class T, int S>
inline void line_of(const DepthwiseLineForward<T>& p) {
  int64_t place = 0;
  for (; place + 7 <= p.x.count; place += 7) line_places<T, 7, S>(p, place);
  if (place + 4 <= p.x.count) {
    line_places<T, 4, S>(p, place);
    place += 4;
  }
  for (; place < p.x.count; ++place) line_places<T, 1, S>(p, place);
}

template <class T>
void depthwise_line(const DepthwiseLineForward<T>& p) {
  p.x.stride == 1 ? line_of<T, 1>(p) : line_of<T, 2>(p);
}

template <class T, int S, bool whole>
inline void line_taps_tile(const DepthwiseLineTaps<T>& p, int64_t j, const Mask<T>& mask) {
  const int64_t cols = p.x.cols;
  Vector<T> acc[9];
#pragma GCC unroll 16
  for (int s = 0; s < 9; ++s) acc[s] = load_some<T, whole>(p.sums + s * cols + j, mask);
  const T* g = p.g + j;
  const T* x0 = p.x.lines[0] + j;
  const T* x1 = p.x.lines[1] + j;
  const T* x2 = p.x.lines[2] + j;
  for (int64_t i = p.x.count; i > 0; --i) {
    const Vector<T> gv = load_some<T, whole>(g, mask);
#pragma GCC unroll 4
    for (int k = 0; k < 3; ++k) {
      acc[k] = step<T>(load_some<T, whole>(x0 + k * cols, mask), gv, acc[k]);
      acc[3 + k] = step<T>(load_some<T, whole>(x1 + k * cols, mask), gv, acc[3 + k]);
      acc[6 + k] = step<T>(load_some<T, whole>(x2 + k * cols, mask), gv, acc[6 + k]);
    }
    x0 += S * cols;
    x1 += S * cols;
    x2 += S * cols;
    g += p.g_step;
  }
#pragma GCC unroll 16
  for (int s = 0; s < 9; ++s) {
    T* to = p.sums + s * cols + j;
    if constexpr (whole)
      store(to, acc[s]);
    else
      mask.store(to, acc[s]);
  }
}

template <class T, int S>
inline void line_taps_of(const DepthwiseLineTaps<T>& p) {
  constexpr int L = kLanes<T>;
  const Mask<T> mask(static_cast<int>(p.x.cols % L));
  int64_t j = 0;
  for (; j + L <= p.x.cols; j += L) line_taps_tile<T, S, true>(p, j, mask);
  if (j < p.x.cols) line_taps_tile<T, S, false>(p, j, mask);
}

template <class T>
void depthwise_line_taps(const DepthwiseLineTaps<T>& p) {
  p.x.stride == 1 ? line_taps_of<T, 1>(p) : line_taps_of<T, 2>(p);
}

template <class T>
void add_terms(T* sums, const T* terms, int64_t count, bool is_last) {
  constexpr int L = kLanes<T>;
  for (int64_t i = 0; i < count; i += L) {
    const int64_t left = count - i;
    const Mask<T> mask(static_cast<int>(left < L ? left : L));
    Vector<T> sum = mask.load(sums + i);
    if (terms != nullptr) sum = sum + mask.load(terms + i);
    mask.store(sums + i, is_last ? canonical<T>(sum) : sum);
  }
}

template <class T>
inline constexpr ConvKernels<T> kConvKernels{
    place_product<T>,  pack_taps<T>,           depthwise_product<T>, depthwise_taps<T>,
    depthwise_line<T>, depthwise_line_taps<T>, add_terms<T>};

extern const ConvTier kConvTier;
constinit const ConvTier kConvTier{kConvKernels<float>, kConvKernels<double>,
                                   kConvKernels<uint32_t>, kConvKernels<uint64_t>};
