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
  const int64_t cols = p.x.cols;
  alignas(64) T buffer[kBuffered / sizeof(T)];
  const bool past = kStoresPast && p.past_caches && R * cols * int64_t{sizeof(T)} <= kBuffered;
  const int64_t y_step = past ? cols : p.y_step;
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
  T* y = past ? buffer : p.y + place * y_step;
  const char* ahead = p.ahead + place * p.ahead_step;
  const char* const ahead_end = p.ahead + (place + R) * p.ahead_step;
  int64_t j = 0;
  for (; j + L <= cols; j += L, w += L, y += L) {
    for (int i = 0; i < R * W::stride && ahead < ahead_end; ++i, ahead += 64)
      __builtin_prefetch(ahead, 0, 2);
    if (p.y_ahead != 0 && !past && (j * int64_t{sizeof(T)}) % 64 == 0) {
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) __builtin_prefetch(y + (r * y_step + p.y_ahead), 1);
    }
    line_tile<T, R, W, true>(in, j, w, y, cols, y_step, mask);
  }
  if (j < cols) line_tile<T, R, W, false>(in, j, w, y, cols, y_step, mask);
  for (int r = 0; past && r < R; ++r) {
    store_past(reinterpret_cast<char*>(p.y + (place + r) * p.y_step),
               reinterpret_cast<const char*>(buffer + r * cols), cols * int64_t{sizeof(T)});
  }
}

template <class T, class W>
inline void line_of(const DepthwiseLineForward<T>& p) {
  int64_t place = 0;
  if constexpr (W::stride == 2) {
    for (; p.comes_from_memory && place + 2 <= p.x.count; place += 2)
      line_places<T, 2, W>(p, place);
  }
  for (; place + 7 <= p.x.count; place += 7) line_places<T, 7, W>(p, place);
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

// Where a vector of columns stands on its way along a line.
template <class T>
struct TapsAt {
  const T* x[3];
  const T* g;
  const T* zeros;
};

// The taps of P neighbouring places, stride S; the first input or the last one may lie outside.
template <class T, int P, int S, bool whole>
[[gnu::always_inline]] inline void taps_of_places(Vector<T> (&acc)[9], TapsAt<T>& at, int64_t cols,
                                                  int64_t g_step, bool starts, bool ends,
                                                  const Mask<T>& mask) {
  constexpr int kInputs = (P - 1) * S + 3;
  Vector<T> g[P];
#pragma GCC unroll 2
  for (int i = 0; i < P; ++i) g[i] = load_some<T, whole>(at.g + i * g_step, mask);
#pragma GCC unroll 4
  for (int line = 0; line < 3; ++line) {
    Vector<T> x[kInputs];
#pragma GCC unroll 8
    for (int i = 0; i < kInputs; ++i) {
      const bool is_outside = (i == 0 && starts) || (i + 1 == kInputs && ends);
      x[i] = load_some<T, whole>(is_outside ? at.zeros : at.x[line] + i * cols, mask);
    }
#pragma GCC unroll 2
    for (int i = 0; i < P; ++i) {
#pragma GCC unroll 4
      for (int k = 0; k < 3; ++k)
        acc[line * 3 + k] = step<T>(x[i * S + k], g[i], acc[line * 3 + k]);
    }
    at.x[line] += P * S * cols;
  }
  at.g += P * g_step;
}

// Asks for what comes next: as much as a vector of two places takes. With stride 2 the hardware
// does it better.
template <int S>
struct TapsAhead {
  const char* x;
  const char* g;

  void ask() {
    if (S != 1 || x == nullptr) return;
    __builtin_prefetch(x, 0, 2);
    __builtin_prefetch(g, 0, 2);
    x += 64;
    g += 64;
  }
};

template <class T, int S, bool whole>
inline void line_taps_tile(const DepthwiseLineTaps<T>& p, int64_t j, const Mask<T>& mask,
                           TapsAhead<S>& ahead) {
  constexpr int P = S == 1 ? 2 : 1;  // that share what they load, as far as registers last
  const int64_t cols = p.lines->x.cols, g_step = p.g_step;
  Vector<T> acc[9];
#pragma GCC unroll 16
  for (int s = 0; s < 9; ++s) acc[s] = load_some<T, whole>(p.sums + s * cols + j, mask);
  for (int64_t i = 0; i < p.count; ++i) {
    const DepthwiseLine<T>& x = p.lines[i].x;
    TapsAt<T> at{{x.lines[0] + j, x.lines[1] + j, x.lines[2] + j}, p.lines[i].g + j, x.zeros + j};
    int64_t left = x.count;
    if (x.starts_outside) {
      taps_of_places<T, 1, S, whole>(acc, at, cols, g_step, true, x.ends_outside && left == 1,
                                     mask);
      --left;
    }
    for (; left > P; left -= P) {
      ahead.ask();
      taps_of_places<T, P, S, whole>(acc, at, cols, g_step, false, false, mask);
    }
    for (; left > 1; --left)
      taps_of_places<T, 1, S, whole>(acc, at, cols, g_step, false, false, mask);
    if (left == 1)
      taps_of_places<T, 1, S, whole>(acc, at, cols, g_step, false, x.ends_outside, mask);
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
  const Mask<T> mask(static_cast<int>((p.end - p.begin) % L));
  TapsAhead<S> ahead{p.x_ahead, p.g_ahead};
  int64_t j = p.begin;
  for (; j + L <= p.end; j += L) line_taps_tile<T, S, true>(p, j, mask, ahead);
  if (j < p.end) line_taps_tile<T, S, false>(p, j, mask, ahead);
}

template <class T>
void depthwise_line_taps(const DepthwiseLineTaps<T>& p) {
  p.lines->x.stride == 1 ? line_taps_of<T, 1>(p) : line_taps_of<T, 2>(p);
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
