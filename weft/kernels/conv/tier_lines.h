// Depthwise windows along a line of places, whose inputs lie on at most three lines.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/conv/tier_depthwise.h"

// A window's taps and its stride along the line.
template <int Lines, int Taps, int Stride>
struct Window {
  static constexpr int lines = Lines, taps = Taps, stride = Stride;
};

// Where the inputs of some neighbouring places begin: those at the ends may lie elsewhere.
template <class T, int Lines>
struct LineInputs {
  const T* first[Lines];
  const T* all[Lines];
  const T* last[Lines];
};

// R neighbouring places of one vector: an input is loaded once for all the places that it meets.
template <class T, int R, class W, bool whole>
[[gnu::always_inline]] inline void line_tile(const LineInputs<T, W::lines>& in, int64_t j,
                                             const T* w, T* y, int64_t cols, int64_t y_step,
                                             const Mask<T>& mask) {
  constexpr int kInputs = (R - 1) * W::stride + W::taps;
  Vector<T> acc[R] = {};
#pragma GCC unroll 4
  for (int line = 0; line < W::lines; ++line) {
    const T* x = in.all[line] + j;
    Vector<T> wv[W::taps];
#pragma GCC unroll 4
    for (int k = 0; k < W::taps; ++k) {
      wv[k] = load_some<T, whole>(w + (line * W::taps + k) * cols, mask);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kInputs; ++i) {
      const T* from = i == 0             ? in.first[line] + j
                      : i + 1 == kInputs ? in.last[line] + j
                                         : x + i * cols;
      const Vector<T> xv = load_some<T, whole>(from, mask);
#pragma GCC unroll 4
      for (int k = 0; k < W::taps; ++k) {
        const int r = (i - k) / W::stride;
        if (i >= k && (i - k) % W::stride == 0 && r < R) acc[r] = step<T>(xv, wv[k], acc[r]);
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

template <class T, int R, class W>
[[gnu::noinline]] void line_places(const DepthwiseLineForward<T>& p, int64_t place) {
  constexpr int L = kLanes<T>;
  constexpr int kInputs = (R - 1) * W::stride + W::taps;
  const int64_t cols = p.x.cols, y_step = p.y_step;
  const Mask<T> mask(static_cast<int>(cols % L));
  const bool starts = place == 0 && p.x.starts_outside;
  const bool ends = place + R == p.x.count && p.x.ends_outside;
  LineInputs<T, W::lines> in;
  for (int i = 0; i < W::lines; ++i) {
    in.all[i] = p.x.lines[i] + place * W::stride * cols;
    in.first[i] = starts ? p.x.zeros : in.all[i];
    in.last[i] = ends ? p.x.zeros : in.all[i] + (kInputs - 1) * cols;
    if (kInputs == 1 && ends) in.first[i] = p.x.zeros;
  }
  const T* w = p.w;
  T* y = p.y + place * y_step;
  const char* ahead = p.ahead + place * p.ahead_step;
  const char* const ahead_end = p.ahead + (place + R) * p.ahead_step;
  int64_t j = 0;
  for (; j + L <= cols; j += L, w += L, y += L) {
    for (int i = 0; i < R * W::stride && ahead < ahead_end; ++i, ahead += 64)
      __builtin_prefetch(ahead, 0, 2);
    line_tile<T, R, W, true>(in, j, w, y, cols, y_step, mask);
  }
  if (j < cols) line_tile<T, R, W, false>(in, j, w, y, cols, y_step, mask);
}

template <class T, class W>
inline void line_of(const DepthwiseLineForward<T>& p) {
  int64_t place = 0;
  if constexpr (W::taps == 3) {
    for (; place + 7 <= p.x.count; place += 7) line_places<T, 7, W>(p, place);
  }
  for (; place + 4 <= p.x.count; place += 4) line_places<T, 4, W>(p, place);
  for (; place < p.x.count; ++place) line_places<T, 1, W>(p, place);
}

template <class T>
void depthwise_line(const DepthwiseLineForward<T>& p) {
  if (p.taps[0] == 3)
    return p.x.stride == 1 ? line_of<T, Window<3, 3, 1>>(p) : line_of<T, Window<3, 3, 2>>(p);
  if (p.taps[0] == 2)
    return p.taps[1] == 2 ? line_of<T, Window<2, 2, 1>>(p) : line_of<T, Window<2, 1, 1>>(p);
  p.taps[1] == 2 ? line_of<T, Window<1, 2, 1>>(p) : line_of<T, Window<1, 1, 1>>(p);
}

// The taps of one place: inputs at[line] + k * cols, but for those at the ends.
template <class T, bool whole>
[[gnu::always_inline]] inline void taps_of_place(Vector<T> (&acc)[9], Vector<T> g,
                                                 const T* const (&at)[3], int64_t cols,
                                                 const T* first, const T* last,
                                                 const Mask<T>& mask) {
#pragma GCC unroll 4
  for (int line = 0; line < 3; ++line) {
    const T* const from[] = {first != nullptr ? first : at[line], at[line] + cols,
                             last != nullptr ? last : at[line] + 2 * cols};
#pragma GCC unroll 4
    for (int k = 0; k < 3; ++k) {
      acc[line * 3 + k] = step<T>(load_some<T, whole>(from[k], mask), g, acc[line * 3 + k]);
    }
  }
}

template <class T, int S, bool whole>
inline void line_taps_tile(const DepthwiseLineTaps<T>& p, int64_t j, const Mask<T>& mask) {
  const int64_t cols = p.x.cols;
  Vector<T> acc[9];
#pragma GCC unroll 16
  for (int s = 0; s < 9; ++s) acc[s] = load_some<T, whole>(p.sums + s * cols + j, mask);
  const T* g = p.g + j;
  const T* at[3] = {p.x.lines[0] + j, p.x.lines[1] + j, p.x.lines[2] + j};
  const T* const zeros = p.x.zeros + j;
  const auto edge = [&](bool starts, bool ends) {
    taps_of_place<T, whole>(acc, load_some<T, whole>(g, mask), at, cols, starts ? zeros : nullptr,
                            ends ? zeros : nullptr, mask);
    for (const T*& line : at) line += S * cols;
    g += p.g_step;
  };
  int64_t count = p.x.count;
  const bool ends = p.x.ends_outside && count > 0;
  if (p.x.starts_outside && count > 0) edge(true, ends && count == 1), --count;
  for (int64_t i = count - (ends && count > 0 ? 1 : 0); i > 0; --i) {
    taps_of_place<T, whole>(acc, load_some<T, whole>(g, mask), at, cols, nullptr, nullptr, mask);
    for (const T*& line : at) line += S * cols;
    g += p.g_step;
  }
  if (ends && count > 0) edge(false, true);
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
