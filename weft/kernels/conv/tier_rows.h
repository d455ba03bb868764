// Depthwise windows where registers hold all their weights: several lines of places at a time, and
// along them in the order of memory, which is as quick as a copy.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/conv/tier_lines.h"

inline constexpr bool kHoldsWindows = WEFT_TIER_BYTES == 64;
inline constexpr int kManyRows = 7;
inline constexpr int64_t kColumnBytes = 1024;  // of a place: their weights, or sums, stay in L1

template <class T, bool whole>
[[gnu::always_inline]] inline void store_some(T* to, Vector<T> value, const Mask<T>& mask) {
  if constexpr (whole)
    store(to, value);
  else
    mask.store(to, value);
}

// A place that fills lines of cache, perhaps past the caches.
template <class T, bool whole>
[[gnu::always_inline]] inline void store_place(T* to, Vector<T> value, [[maybe_unused]] bool past,
                                               const Mask<T>& mask) {
#if WEFT_TIER_BYTES == 64
  if (whole && past) return _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)value);
#endif
  store_some<T, whole>(to, value, mask);
}

// Keeps a value in a register: the compiler would rather load it again for every use, and loads are
// what these kernels have too many of.
template <class T>
[[gnu::always_inline]] inline void hold([[maybe_unused]] Vector<T>& value) {
#if WEFT_TIER_BYTES == 64
  asm("" : "+v"(value));
#endif
}

// The inputs of one place along a line, of so many taps: those outside are zeros.
template <class T, int Taps>
struct EdgeMasks {
  Mask<T> first, middle, last;
  EdgeMasks(int lanes, bool starts, bool ends)
      : first(starts || (Taps == 1 && ends) ? 0 : lanes), middle(lanes), last(ends ? 0 : lanes) {}
  Vector<T> load(int tap, const T* from) const {
    return tap == 0 ? first.load(from) : tap + 1 == Taps ? last.load(from) : middle.load(from);
  }
};

// Asks for what the next place along the lines is the first to read. It gains where windows of
// stride 2 read from memory, and costs a few percent elsewhere.
template <class T, class W, int Lines>
[[gnu::always_inline]] inline void ask_for_next(const T* const (&lines)[Lines], int64_t j,
                                                int64_t cols) {
#pragma GCC unroll 8
  for (int line = W::lines - W::stride; line < Lines; ++line) {
#pragma GCC unroll 2
    for (int k = W::taps; k < W::taps + W::stride; ++k)
      __builtin_prefetch(lines[line] + j + k * cols);
  }
}

// One vector of R places, one below the other: an input is loaded once for all that it meets.
template <class T, int R, class W, bool whole, int Lines>
[[gnu::always_inline]] inline void rows_tile(const T* const (&lines)[Lines], int64_t j, const T* w,
                                             int64_t cols, T* y, int64_t y_row, bool past,
                                             const Mask<T>& mask,
                                             const EdgeMasks<T, W::taps>& masks) {
  if (W::stride == 2 && past) ask_for_next<T, W>(lines, j, cols);
  Vector<T> weights[W::lines][W::taps];
  Vector<T> acc[R] = {};
#pragma GCC unroll 4
  for (int line = 0; line < W::lines; ++line) {
#pragma GCC unroll 4
    for (int k = 0; k < W::taps; ++k) {
      weights[line][k] = load_some<T, whole>(w + (line * W::taps + k) * cols + j, mask);
      hold<T>(weights[line][k]);
    }
  }
#pragma GCC unroll 16
  for (int line = 0; line < Lines; ++line) {
#pragma GCC unroll 4
    for (int k = 0; k < W::taps; ++k) {
      Vector<T> x = masks.load(k, lines[line] + j + k * cols);
      hold<T>(x);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const int tap = line - r * W::stride;
        if (0 <= tap && tap < W::lines) acc[r] = step<T>(x, weights[tap][k], acc[r]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
    store_place<T, whole>(y + r * y_row + j, canonical<T>(acc[r]), past, mask);
}

// Columns [j, end) of one place of each of R lines.
template <class T, int R, class W>
[[gnu::noinline]] void rows_place(const DepthwiseLineForward<T>& p, int64_t place, int64_t j,
                                  int64_t end) {
  constexpr int L = kLanes<T>, kLines = (R - 1) * W::stride + W::lines;
  const int64_t cols = p.x.cols;
  const bool starts = place == 0 && p.x.starts_outside;
  const bool ends = place + 1 == p.x.count && p.x.ends_outside;
  const T* lines[kLines];
  for (int i = 0; i < kLines; ++i) lines[i] = p.x.lines[i] + place * W::stride * cols;
  T* const y = p.y + place * p.y_step;
  const T* const w = p.w;
  const int64_t y_row = p.y_row;
  const int rest = static_cast<int>((end - j) % L);
  const int64_t stop = end - rest;
  const Mask<T> all(L), some(rest);
  if (p.past_caches) {
    const EdgeMasks<T, W::taps> masks(L, starts, ends);
    for (; j < stop; j += L)
      rows_tile<T, R, W, true>(lines, j, w, cols, y, y_row, true, all, masks);
  } else {
    const EdgeMasks<T, W::taps> masks(L, starts, ends);
    for (; j < stop; j += L)
      rows_tile<T, R, W, true>(lines, j, w, cols, y, y_row, false, all, masks);
  }
  if (rest > 0) {
    const EdgeMasks<T, W::taps> masks(rest, starts, ends);
    rows_tile<T, R, W, false>(lines, j, w, cols, y, y_row, false, some, masks);
  }
}

// With stride 1 long runs of memory matter more than where the weights of its many rows are.
template <class T, int R, class W>
inline void rows_of(const DepthwiseLineForward<T>& p) {
  const int64_t columns = W::stride == 1 ? p.x.cols : kColumnBytes / int64_t{sizeof(T)};
  for (int64_t j = 0; j < p.x.cols; j += columns) {
    const int64_t end = j + columns < p.x.cols ? j + columns : p.x.cols;
    for (int64_t place = 0; place < p.x.count; ++place) rows_place<T, R, W>(p, place, j, end);
  }
}

template <class T, class W>
inline void rows_of(const DepthwiseLineForward<T>& p) {
  if constexpr (W::stride == 1 && W::lines == 3) {
    if (p.rows == kManyRows) return rows_of<T, kManyRows, W>(p);
  }
  if constexpr (W::stride == 1) {
    if (p.rows == 4) return rows_of<T, 4, W>(p);
    if (p.rows == 3) return rows_of<T, 3, W>(p);
  }
  p.rows == 2 ? rows_of<T, 2, W>(p) : rows_of<T, 1, W>(p);
}

template <class T>
void depthwise_rows_of_places(const DepthwiseLineForward<T>& p) {
  if (p.taps[0] == 3)
    return p.x.stride == 1 ? rows_of<T, Window<3, 3, 1>>(p) : rows_of<T, Window<3, 3, 2>>(p);
  if (p.taps[0] == 2)
    return p.taps[1] == 2 ? rows_of<T, Window<2, 2, 1>>(p) : rows_of<T, Window<2, 1, 1>>(p);
  p.taps[1] == 2 ? rows_of<T, Window<1, 2, 1>>(p) : rows_of<T, Window<1, 1, 1>>(p);
}

// Where a vector of columns stands in what some neighbouring places meet.
template <class T>
struct TapsRun {
  const T* lines[3];
  const T* g;
  T* sums;
};

// One vector of the sums of all taps goes on over P neighbouring places, in order.
template <class T, int P, int S, bool whole>
[[gnu::always_inline]] inline void taps_run_tile(const TapsRun<T>& at, int64_t cols, int64_t g_step,
                                                 const Mask<T>& mask,
                                                 const EdgeMasks<T, (P - 1) * S + 3>& masks) {
  constexpr int kInputs = (P - 1) * S + 3;
  Vector<T> acc[9], gs[P];
#pragma GCC unroll 16
  for (int s = 0; s < 9; ++s) acc[s] = load_some<T, whole>(at.sums + s * cols, mask);
#pragma GCC unroll 8
  for (int i = 0; i < P; ++i) {
    gs[i] = load_some<T, whole>(at.g + i * g_step, mask);
    hold<T>(gs[i]);
  }
#pragma GCC unroll 4
  for (int line = 0; line < 3; ++line) {
#pragma GCC unroll 16
    for (int i = 0; i < kInputs; ++i) {
      Vector<T> x = masks.load(i, at.lines[line] + i * cols);
      hold<T>(x);
#pragma GCC unroll 4
      for (int k = 0; k < 3; ++k) {
        const int place = (i - k) / S;
        if (i >= k && (i - k) % S == 0 && place < P)
          acc[line * 3 + k] = step<T>(x, gs[place], acc[line * 3 + k]);
      }
    }
  }
#pragma GCC unroll 16
  for (int s = 0; s < 9; ++s) store_some<T, whole>(at.sums + s * cols, acc[s], mask);
}

template <class T, int P, int S>
[[gnu::noinline]] void taps_run(const DepthwiseLineTaps<T>& p, const DepthwiseTapLine<T>& line,
                                int64_t place, int64_t j, int64_t end) {
  constexpr int L = kLanes<T>, kInputs = (P - 1) * S + 3;
  const DepthwiseLine<T>& x = line.x;
  const int64_t cols = x.cols, g_step = p.g_step;
  const bool starts = place == 0 && x.starts_outside;
  const bool ends = place + P == x.count && x.ends_outside;
  TapsRun<T> at{{}, line.g + place * g_step + j, p.sums + j};
  for (int i = 0; i < 3; ++i) at.lines[i] = x.lines[i] + place * S * cols + j;
  const Mask<T> all(L);
  const EdgeMasks<T, kInputs> masks(L, starts, ends);
  for (; j + L <= end; j += L) {
    taps_run_tile<T, P, S, true>(at, cols, g_step, all, masks);
    for (const T*& each : at.lines) each += L;
    at.g += L;
    at.sums += L;
    // Or else the compiler keeps more pointers than there are registers.
    asm("" : "+r"(at.lines[0]), "+r"(at.lines[1]), "+r"(at.lines[2]), "+r"(at.g), "+r"(at.sums));
  }
  if (j == end) return;
  const int rest = static_cast<int>(end - j);
  taps_run_tile<T, P, S, false>(at, cols, g_step, Mask<T>(rest),
                                EdgeMasks<T, kInputs>(rest, starts, ends));
}

template <class T, int S>
inline void taps_runs(const DepthwiseLineTaps<T>& p) {
  constexpr int64_t kColumns = kColumnBytes / int64_t{sizeof(T)};
  for (int64_t i = 0; i < p.count; ++i) {
    const DepthwiseTapLine<T>& line = p.lines[i];
    for (int64_t j = p.begin; j < p.end; j += kColumns) {
      const int64_t end = j + kColumns < p.end ? j + kColumns : p.end;
      int64_t place = 0;
      for (; place + 7 <= line.x.count; place += 7) taps_run<T, 7, S>(p, line, place, j, end);
      for (; place + 3 <= line.x.count; place += 3) taps_run<T, 3, S>(p, line, place, j, end);
      for (; place < line.x.count; ++place) taps_run<T, 1, S>(p, line, place, j, end);
    }
  }
}

template <class T>
void depthwise_taps_runs(const DepthwiseLineTaps<T>& p) {
  p.lines->x.stride == 1 ? taps_runs<T, 1>(p) : taps_runs<T, 2>(p);
}

// The kernels of the lines: only what the tier uses is made.
template <class T>
constexpr auto line_kernel() {
  if constexpr (kHoldsWindows)
    return depthwise_rows_of_places<T>;
  else
    return depthwise_line<T>;
}
template <class T>
constexpr auto line_taps_kernel() {
  if constexpr (kHoldsWindows)
    return depthwise_taps_runs<T>;
  else
    return depthwise_line_taps<T>;
}

template <class T>
inline constexpr ConvKernels<T> kConvKernels{
    place_product<T>,      line_product<T>,
    plane_product<T>,      pack_taps<T>,
    depthwise_product<T>,  depthwise_taps<T>,
    WEFT_TIER_BYTES == 64, kHoldsWindows ? RowsTogether{kManyRows, 2, 4} : RowsTogether{1, 1, 1},
    line_kernel<T>(),      line_taps_kernel<T>(),
    line_weights<T>,       add_terms<T>};

extern const ConvTier kConvTier;
constinit const ConvTier kConvTier{kConvKernels<float>, kConvKernels<double>,
                                   kConvKernels<uint32_t>, kConvKernels<uint64_t>};
