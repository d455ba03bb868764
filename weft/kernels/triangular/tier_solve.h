// Forward substitution, compiled once per tier.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/matmul/tier_transpose.h"

// chain - a b, with one rounding.
template <class T>
inline Vector<T> minus_product(Vector<T> a, Vector<T> b, Vector<T> chain) {
#if WEFT_TIER_BYTES == 64
  if constexpr (sizeof(T) == 4)
    return _mm512_fnmadd_ps(a, b, chain);
  else
    return _mm512_fnmadd_pd(a, b, chain);
#elif WEFT_TIER_BYTES == 32
  if constexpr (sizeof(T) == 4)
    return _mm256_fnmadd_ps(a, b, chain);
  else
    return _mm256_fnmadd_pd(a, b, chain);
#else
  for (int i = 0; i < kLanes<T>; ++i) {
    if constexpr (sizeof(T) == 4)
      chain[i] = __builtin_fmaf(-a[i], b[i], chain[i]);
    else
      chain[i] = __builtin_fma(-a[i], b[i], chain[i]);
  }
  return chain;
#endif
}

// Rows [i, i + kRows) of a panel: what the rows above them take away, then the rows themselves,
// while they are in registers.
template <class T, int kRows, int kVectors>
inline void solve_rows(const System<T>& s, T* x, int64_t i) {
  constexpr int W = kLanes<T>;
  constexpr int64_t kPitch = kVectors * W;
  Vector<T> sum[kRows][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sum[r][v] = load(x + (i + r) * kPitch + v * W);
  }
  const T* a = s.a + i * s.row_stride;
  const T* from = x;
  for (int64_t j = 0; j < i; ++j, a += s.column_stride, from += kPitch) {
    Vector<T> found[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) found[v] = load(from + v * W);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const Vector<T> factor = broadcast(a[r * s.row_stride]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[r][v] = minus_product<T>(factor, found[v], sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int j = 0; j < kRows; ++j, a += s.column_stride) {
    if (!s.unit_diagonal) {
      const Vector<T> diagonal = broadcast(a[j * s.row_stride]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[j][v] /= diagonal;
    }
#pragma GCC unroll 16
    for (int r = j + 1; r < kRows; ++r) {
      const Vector<T> factor = broadcast(a[r * s.row_stride]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[r][v] = minus_product<T>(factor, sum[j][v], sum[r][v]);
    }
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) store(x + (i + j) * kPitch + v * W, sum[j][v]);
  }
}

template <class T, int kVectors>
void solve_panel_of(const System<T>& s, T* x) {
  int64_t i = 0;
  for (; i + WEFT_TIER_ROWS <= s.n; i += WEFT_TIER_ROWS) {
    solve_rows<T, WEFT_TIER_ROWS, kVectors>(s, x, i);
  }
  for (; i + 2 <= s.n; i += 2) solve_rows<T, 2, kVectors>(s, x, i);
  if (i < s.n) solve_rows<T, 1, kVectors>(s, x, i);
}

template <class T>
void solve_panel(const System<T>& s, T* x, int64_t vectors) {
  vectors == 2 ? solve_panel_of<T, 2>(s, x) : solve_panel_of<T, 1>(s, x);
}

// Whether all elements that it looks at are finite. By the bits: an exponent of ones, and only
// that, carries into the sign, which is cleared.
template <class T>
struct FiniteCheck {
  using Bits = typename std::conditional<sizeof(T) == 4, uint32_t, uint64_t>::type;
  typedef Bits Whole __attribute__((vector_size(WEFT_TIER_BYTES)));
  static constexpr Bits kExponent = sizeof(T) == 4 ? Bits(0x7f800000u) : Bits(0x7ff0000000000000u);
  static constexpr Bits kLowest = kExponent & (~kExponent + 1);
  Whole carried{};

  void look(Vector<T> x) { carried |= ((Whole)x & kExponent) + kLowest; }
  // At the lanes from `first` on.
  void look_from(int first, Vector<T> x) {
    Whole chosen;
    for (int l = 0; l < kLanes<T>; ++l) chosen[l] = l >= first ? kExponent : Bits(0);
    carried |= ((Whole)x & chosen) + kLowest;
  }
  bool passed() const {
    Bits any = 0;
    for (int l = 0; l < kLanes<T>; ++l) any |= carried[l];
    return any >> (8 * sizeof(T) - 1) == 0;
  }
};

// Lanes in the opposite order.
template <int W>
struct Backwards {
  static constexpr int of(int l) { return W - 1 - l; }
};

// A square of the triangle, lanes x lanes elements: lane r of out[c] is element (i + r, j + c).
// Rows are contiguous, or columns are; backwards where the stride is -1.
template <class T, bool kRowsContiguous, bool kBackwards>
inline void load_square(const System<T>& s, int64_t i, int64_t j, Vector<T>* out) {
  constexpr int W = kLanes<T>;
  const T* const from =
      s.a + i * s.row_stride + j * s.column_stride - (kBackwards ? int64_t{W - 1} : 0);
  if constexpr (kRowsContiguous) {
    const T* rows[W];
#pragma GCC unroll 16
    for (int r = 0; r < W; ++r) rows[r] = from + r * s.row_stride;
    if constexpr (kBackwards) {
      Vector<T> turned[W];
      load_transposed<T>(rows, 0, turned);
#pragma GCC unroll 16
      for (int c = 0; c < W; ++c) out[c] = turned[W - 1 - c];
    } else {
      load_transposed<T>(rows, 0, out);
    }
  } else {
#pragma GCC unroll 16
    for (int c = 0; c < W; ++c) {
      out[c] = load(from + c * s.column_stride);
      if constexpr (kBackwards) out[c] = shuffle<T, Backwards<W>>(out[c], out[c]);
    }
  }
}

// sum - square x, a column of the square after the other.
template <class T>
inline Vector<T> minus_square(const Vector<T>* square, const T* x, Vector<T> sum,
                              FiniteCheck<T>& check) {
#pragma GCC unroll 16
  for (int c = 0; c < kLanes<T>; ++c) {
    check.look(square[c]);
    sum = minus_product<T>(square[c], broadcast(x[c]), sum);
  }
  return sum;
}

// kGroups times `lanes` rows from i on, a multiple of that: several chains run side by side.
template <class T, bool kRowsContiguous, bool kBackwards, int kGroups>
void solve_line_rows(const System<T>& s, T* x, int64_t i, FiniteCheck<T>& shared_check) {
  constexpr int W = kLanes<T>;
  FiniteCheck<T> check = shared_check;
  Vector<T> sum[kGroups], square[W];
#pragma GCC unroll 4
  for (int g = 0; g < kGroups; ++g) sum[g] = load(x + i + g * W);
  const auto advance = [&](int g, int64_t j) {
    load_square<T, kRowsContiguous, kBackwards>(s, i + g * W, j, square);
    sum[g] = minus_square<T>(square, x + j, sum[g], check);
  };
  if constexpr (kRowsContiguous && kGroups == 2) {
    // The second group is behind: rows that are a power of two apart share a set of L1, which has
    // no room for lines of both groups.
    const int64_t lag = 4 * W < i ? 4 * W : i;
    for (int64_t j = 0; j < lag; j += W) advance(0, j);
    for (int64_t j = lag; j < i; j += W) {
      advance(0, j);
      advance(1, j - lag);
    }
    for (int64_t j = i - lag; j < i; j += W) advance(1, j);
  } else {
    for (int64_t j = 0; j < i; j += W) {
#pragma GCC unroll 4
      for (int g = 0; g < kGroups; ++g) advance(g, j);
    }
  }
#pragma GCC unroll 4
  for (int g = 0; g < kGroups; ++g) {
    const int64_t at = i + g * W;
    for (int64_t j = i; j < at; j += W) advance(g, j);
    // On the diagonal: lane c is final before column c, and what it becomes later is not used.
    load_square<T, kRowsContiguous, kBackwards>(s, at, at, square);
    const T* diagonal = s.a + at * (s.row_stride + s.column_stride);
#pragma GCC unroll 16
    for (int c = 0; c < W; ++c, diagonal += s.row_stride + s.column_stride) {
      const T found = s.unit_diagonal ? sum[g][c] : sum[g][c] / *diagonal;
      x[at + c] = found;
      sum[g] = minus_product<T>(square[c], broadcast(found), sum[g]);
      check.look_from(s.unit_diagonal ? c + 1 : c, square[c]);
    }
  }
  shared_check = check;
}

// The last rows, fewer than there are lanes.
template <class T>
void solve_last_rows(const System<T>& s, T* x, int64_t i, FiniteCheck<T>& check) {
  constexpr int W = kLanes<T>;
  const int rows = static_cast<int>(s.n - i);
  Vector<T> sum = load(x + i);
  const T* a = s.a + i * s.row_stride;
  for (int64_t j = 0; j < s.n; ++j, a += s.column_stride) {
    const int c = static_cast<int>(j - i);  // negative before the diagonal
    if (c >= 0) x[j] = s.unit_diagonal ? sum[c] : sum[c] / a[c * s.row_stride];
    Vector<T> column{};
    for (int r = 0; r < W; ++r) column[r] = r < rows ? a[r * s.row_stride] : T(0);
    check.look_from(s.unit_diagonal ? c + 1 : c, column);
    sum = minus_product<T>(column, broadcast(x[j]), sum);
  }
}

template <class T, bool kRowsContiguous, bool kBackwards>
bool solve_line_of(const System<T>& s, T* x) {
  constexpr int W = kLanes<T>;
  FiniteCheck<T> check;
  int64_t i = 0;
  constexpr int kGroups = kRowsContiguous ? 2 : 4;
  for (; i + kGroups * W <= s.n; i += kGroups * W) {
    solve_line_rows<T, kRowsContiguous, kBackwards, kGroups>(s, x, i, check);
  }
  for (; i + W <= s.n; i += W) solve_line_rows<T, kRowsContiguous, kBackwards, 1>(s, x, i, check);
  if (i < s.n) solve_last_rows<T>(s, x, i, check);
  return check.passed();
}

template <class T>
bool solve_line(const System<T>& s, T* x) {
  if (s.column_stride == 1) return solve_line_of<T, true, false>(s, x);
  if (s.column_stride == -1) return solve_line_of<T, true, true>(s, x);
  if (s.row_stride == 1) return solve_line_of<T, false, false>(s, x);
  return solve_line_of<T, false, true>(s, x);
}

template <class T>
bool all_finite(const Triangle<T>& t) {
  constexpr int W = kLanes<T>;
  FiniteCheck<T> even, odd;
  for (int64_t line = 0; line < t.lines; ++line) {
    const int64_t count = t.grows ? t.first + line : t.first - line;
    const T* const from = t.data + line * t.step;
    int64_t i = 0;
    for (; i + 2 * W <= count; i += 2 * W) {
      even.look(load(from + i));
      odd.look(load(from + i + W));
    }
    if (i + W <= count) {
      even.look(load(from + i));
      i += W;
    }
    if (i < count) odd.look(Mask<T>(static_cast<int>(count - i)).load(from + i));
  }
  return even.passed() && odd.passed();
}

template <class T>
constexpr Kernels<T> kKernels{kLanes<T>, solve_panel<T>, solve_line<T>, all_finite<T>};
constinit const Tier kTier{kKernels<float>, kKernels<double>};
