// The micro-kernels: a tile of C held in registers over one stretch of k; and the loops over tiles.
//
// Included only by tier_*.cc, inside the tier's own namespace (see tier_vector.h).
#include "weft/kernels/matmul/tier_vector.h"

template <class T>
inline constexpr int kMaxRows =
    std::is_integral<T>::value ? WEFT_TIER_INTEGER_ROWS : WEFT_TIER_ROWS;
inline constexpr int kMaxVectors = 2;
template <class T>
inline constexpr int kMaxCols = kMaxVectors * kLanes<T>;

// Operands of one micro-tile. Strided: A's strides, B's row stride. Packed: both are dense.
template <class T>
struct MicroTile {
  int64_t k;
  const T* a;
  int64_t a_row;
  int64_t a_col;
  const T* b;
  int64_t b_row;
  T* c;
  int64_t c_row;
  int last_lanes;  // of the last vector of a row
  unsigned flags;
};

enum class Form { kStrided, kStridedPart, kPacked };  // Part: B's last vector is masked

// Reads the tile of C, or adds it to `tile`; the last vector of a row may be a part.
template <bool adds, class T, int R, int N>
inline void load_tile(const MicroTile<T>& t, const Mask<T>& mask, Vector<T> (&tile)[R][N]) {
  const bool full = t.last_lanes == kLanes<T>;
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) {
      const T* at = t.c + r * t.c_row + n * kLanes<T>;
      const Vector<T> c = n + 1 < N || full ? load(at) : mask.load(at);
      tile[r][n] = adds ? c + tile[r][n] : c;
    }
  }
}

template <class T, int R, int N>
inline void store_tile(const MicroTile<T>& t, const Mask<T>& mask, const Vector<T> (&tile)[R][N]) {
  const bool full = t.last_lanes == kLanes<T>;
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    T* row = t.c + r * t.c_row;
#pragma GCC unroll 8
    for (int n = 0; n + 1 < N; ++n) store(row + n * kLanes<T>, tile[r][n]);
    T* last = row + (N - 1) * kLanes<T>;
    if (full)
      store(last, tile[r][N - 1]);
    else
      mask.store(last, tile[r][N - 1]);
  }
}

template <class T, int R, int N>
inline void end_tile(const MicroTile<T>& t, const Mask<T>& mask, Vector<T> (&acc)[R][N]) {
  if ((t.flags & kAddToC) != 0) load_tile<true>(t, mask, acc);
  if ((t.flags & kFinal) != 0) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) acc[r][n] = canonical<T>(acc[r][n]);
    }
  }
  store_tile(t, mask, acc);
}

// R rows of N vectors. The pointers pass through an empty asm, or gcc would rewrite them into
// more induction variables than there are registers.
template <class T, int R, int N, Form form>
void micro(const MicroTile<T>& t) {
  constexpr int L = kLanes<T>;
  const Mask<T> mask(t.last_lanes);
  Vector<T> acc[R][N] = {};
  if ((t.flags & kContinue) != 0) load_tile<false>(t, mask, acc);
  const T* a = t.a;
  const T* b = t.b;
  const int64_t a_row = form == Form::kPacked ? 1 : t.a_row;
  const int64_t a_col = form == Form::kPacked ? R : t.a_col;
  const int64_t b_row = form == Form::kPacked ? N * L : t.b_row;
  WEFT_TIER_UNROLL
  for (int64_t k = t.k; k > 0; --k) {
    Vector<T> bv[N];
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) {
      bv[n] = form == Form::kStridedPart && n + 1 == N ? mask.load(b + n * L) : load(b + n * L);
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Vector<T> av = broadcast(a[r * a_row]);
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) acc[r][n] = step<T>(av, bv[n], acc[r][n]);
    }
    a += a_col;
    b += b_row;
    __asm__("" : "+r"(a), "+r"(b));
  }
  end_tile(t, mask, acc);
}

template <class T>
using Micro = void (*)(const MicroTile<T>&);

// The micro-kernels of one form and width, by number of rows.
template <class T, int N, Form form, size_t... R>
constexpr auto micros_of(std::index_sequence<R...>) {
  struct Table {
    Micro<T> by_rows[sizeof...(R)];
  };
  return Table{{micro<T, static_cast<int>(R) + 1, N, form>...}};
}
template <class T, int N, Form form>
inline constexpr auto kMicros = micros_of<T, N, form>(std::make_index_sequence<kMaxRows<T>>{});

template <class T>
inline Micro<T> find_micro(Form form, int rows, int vectors) {
  if (form == Form::kPacked) {
    return vectors == 1 ? kMicros<T, 1, Form::kPacked>.by_rows[rows - 1]
                        : kMicros<T, 2, Form::kPacked>.by_rows[rows - 1];
  }
  if (form == Form::kStrided) {
    return vectors == 1 ? kMicros<T, 1, Form::kStrided>.by_rows[rows - 1]
                        : kMicros<T, 2, Form::kStrided>.by_rows[rows - 1];
  }
  return vectors == 1 ? kMicros<T, 1, Form::kStridedPart>.by_rows[rows - 1]
                      : kMicros<T, 2, Form::kStridedPart>.by_rows[rows - 1];
}

// Rows are split into panels of nearly equal height: 8 is 4 + 4, not 6 + 2.
struct RowPanels {
  int64_t count;
  int64_t base;
  int64_t extra;  // so many panels have base + 1 rows

  RowPanels(int64_t rows, int64_t most)
      : count((rows + most - 1) / most), base(rows / count), extra(rows % count) {}
  int64_t rows_of(int64_t panel) const { return base + (panel < extra ? 1 : 0); }
};

template <class T>
void product(const Product<T>& p) {
  constexpr int L = kLanes<T>;
  const RowPanels panels(p.rows, kMaxRows<T>);
  for (int64_t j = 0; j < p.cols; j += kMaxCols<T>) {
    const int64_t left = p.cols - j;
    const int vectors = left > L ? kMaxVectors : 1;
    const int64_t valid = left < kMaxCols<T> ? left : kMaxCols<T>;
    const int last_lanes = static_cast<int>(valid) - (vectors - 1) * L;
    const Form form = p.a_packed                      ? Form::kPacked
                      : p.b_packed || last_lanes == L ? Form::kStrided
                                                      : Form::kStridedPart;
    MicroTile<T> t{p.k,
                   p.a,
                   p.a_row,
                   p.a_col,
                   p.b_packed ? p.b + j * p.k : p.b + j,
                   p.b_packed ? vectors * L : p.b_row,
                   p.c + j,
                   p.c_row,
                   last_lanes,
                   p.flags};
    for (int64_t panel = 0; panel < panels.count; ++panel) {
      const int64_t rows = panels.rows_of(panel);
      find_micro<T>(form, static_cast<int>(rows), vectors)(t);
      t.a += rows * (p.a_packed ? p.k : p.a_row);
      t.c += rows * p.c_row;
    }
  }
}

// How many steps of k a square of B has.
template <class T>
inline constexpr int kSquareSteps = WEFT_TIER_BYTES > 32 ? kLanes<T> : kGranule<T>;

// Reads kSquareSteps elements of each of `lanes` columns, `stride` apart, so that lanes are
// columns.
template <class T>
inline void load_square(const T* from, int64_t stride, Vector<T>* out) {
#if WEFT_TIER_BYTES == 32
  constexpr int G = kGranule<T>;
#pragma GCC unroll 4
  for (int i = 0; i < G; ++i) {
    out[i] = load_halves(from + i * stride, from + (i + G) * stride);
  }
  transpose_granules<T>(out);
#else
#pragma GCC unroll 16
  for (int i = 0; i < kLanes<T>; ++i) out[i] = load(from + i * stride);
  transpose<T>(out);
#endif
}

// Steps [begin, end) of the chains of G * lanes columns from `b` on. A cache line of each column is
// used up at once: the columns may all fall into one set of the cache.
template <class T, int G, bool prefetches>
inline void row_chain(const RowProduct<T>& p, const T* b, int64_t begin, int64_t end,
                      Vector<T> (&acc)[G]) {
  constexpr int L = kLanes<T>;
  constexpr int S = kSquareSteps<T>;
  constexpr int kSquares = 64 / (S * static_cast<int>(sizeof(T)));
  const T* at[G];
#pragma GCC unroll 2
  for (int g = 0; g < G; ++g) at[g] = b + g * L * p.b_col + begin;
  const T* a = p.a + begin * p.a_col;
  const T* ahead = b + G * L * (p.b_col + begin);
  int64_t k = begin;
  for (; k + kSquares * S <= end; k += kSquares * S) {
    if (prefetches) {
#pragma GCC unroll 16
      for (int i = 0; i < G * L; ++i) __builtin_prefetch(ahead + i * kSquares * S, 0, 2);
      ahead += G * L * kSquares * S;
    }
#pragma GCC unroll 4
    for (int q = 0; q < kSquares; ++q) {
      Vector<T> square[G][S];
#pragma GCC unroll 2
      for (int g = 0; g < G; ++g) load_square(at[g] + q * S, p.b_col, square[g]);
#pragma GCC unroll 16
      for (int i = 0; i < S; ++i, a += p.a_col) {
#pragma GCC unroll 2
        for (int g = 0; g < G; ++g) acc[g] = step<T>(broadcast(*a), square[g][i], acc[g]);
      }
    }
#pragma GCC unroll 2
    for (int g = 0; g < G; ++g) {
      at[g] += kSquares * S;
      __asm__("" : "+r"(at[g]));
    }
  }
  for (; k < end; ++k, a += p.a_col) {
    for (int g = 0; g < G; ++g) {
      Vector<T> column{};
      for (int i = 0; i < L; ++i) column[i] = *(at[g] + i * p.b_col);
      acc[g] = step<T>(broadcast(*a), column, acc[g]);
      ++at[g];
    }
  }
}

// Columns [j, j + G * lanes).
template <class T, int G, bool prefetches>
void row_product_of(const RowProduct<T>& p, int64_t j) {
  Vector<T> total[G] = {};
  for (int64_t k0 = 0; k0 < p.k; k0 += p.chain) {
    const int64_t k1 = k0 + p.chain < p.k ? k0 + p.chain : p.k;
    Vector<T> acc[G] = {};
    row_chain<T, G, prefetches>(p, p.b + j * p.b_col, k0, k1, acc);
    for (int g = 0; g < G; ++g) total[g] = k0 == 0 ? acc[g] : total[g] + acc[g];
  }
  for (int g = 0; g < G; ++g) store(p.c + j + g * kLanes<T>, canonical<T>(total[g]));
}

// Fewer columns than lanes, one by one; the other lanes are idle.
template <class T>
void row_product_of_few(const RowProduct<T>& p) {
  for (int64_t j = 0; j < p.n; ++j) {
    Vector<T> total{};
    for (int64_t k0 = 0; k0 < p.k; k0 += p.chain) {
      const int64_t k1 = k0 + p.chain < p.k ? k0 + p.chain : p.k;
      Vector<T> acc{};
      for (int64_t k = k0; k < k1; ++k) {
        acc = step<T>(broadcast(p.a[k * p.a_col]), broadcast(p.b[j * p.b_col + k]), acc);
      }
      total = k0 == 0 ? acc : total + acc;
    }
    p.c[j] = canonical<T>(total)[0];
  }
}

template <class T>
void row_product(const RowProduct<T>& p) {
  constexpr int64_t L = kLanes<T>;
  if (p.n < L) return row_product_of_few(p);
  const int64_t bytes = p.b_col * static_cast<int64_t>(sizeof(T));
  // Columns a multiple of 4 KB apart share a set of the cache, which has room for eight.
  const bool share_a_set = bytes % 4096 == 0;
  // Short dense columns out of L2: the hardware's prefetch ends too often, so the next are asked
  // for.
  const bool prefetches = p.b_col == p.k && bytes <= 4096 && p.n * bytes > (512 << 10);
  int64_t j = 0;
  if (prefetches) {
    for (; j + 2 * L <= p.n; j += 2 * L) row_product_of<T, 2, true>(p, j);
  } else if (!share_a_set) {
    for (; j + 2 * L <= p.n; j += 2 * L) row_product_of<T, 2, false>(p, j);
  }
  for (; j + L <= p.n; j += L) row_product_of<T, 1, false>(p, j);
  if (j < p.n) row_product_of<T, 1, false>(p, p.n - L);  // some columns a second time
}

// K steps over all columns, N vectors at a time.
template <class T, int K>
void sweep_steps(const RowSweep<T>& p, int64_t k0, bool begins) {
  constexpr int L = kLanes<T>;
  constexpr int N = 4;
  Vector<T> av[K];
  const T* row[K];
#pragma GCC unroll 8
  for (int k = 0; k < K; ++k) {
    av[k] = broadcast(p.a[(k0 + k) * p.a_col]);
    row[k] = p.b + (k0 + k) * p.b_row;
  }
  int64_t j = 0;
  for (; j + N * L <= p.n; j += N * L) {
    Vector<T> acc[N];
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) acc[n] = begins ? Vector<T>{} : load(p.sums + j + n * L);
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) {
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) acc[n] = step<T>(av[k], load(row[k] + j + n * L), acc[n]);
    }
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) store(p.sums + j + n * L, acc[n]);
  }
  for (; j < p.n; j += L) {
    const int64_t left = p.n - j;
    const Mask<T> mask(static_cast<int>(left < L ? left : L));
    Vector<T> acc = begins ? Vector<T>{} : mask.load(p.sums + j);
    for (int k = 0; k < K; ++k) acc = step<T>(av[k], mask.load(row[k] + j), acc);
    mask.store(p.sums + j, acc);
  }
}

template <class T>
void row_sweep(const RowSweep<T>& p) {
  constexpr int64_t kSteps = 8;
  int64_t k = 0;
  for (; k + kSteps <= p.k; k += kSteps) sweep_steps<T, kSteps>(p, k, p.begins && k == 0);
  for (; k < p.k; ++k) sweep_steps<T, 1>(p, k, p.begins && k == 0);
}

template <class T>
void end_chain(const ChainEnd<T>& e) {
  constexpr int L = kLanes<T>;
  const bool adds = (e.flags & kAddToC) != 0;
  const bool final = (e.flags & kFinal) != 0;
  for (int64_t i = 0; i < e.rows; ++i) {
    T* c = e.c + i * e.c_row;
    const T* sums = e.sums + i * e.sums_row;
    for (int64_t j = 0; j < e.cols; j += L) {
      const int64_t left = e.cols - j;
      const Mask<T> mask(static_cast<int>(left < L ? left : L));
      Vector<T> x = left < L ? mask.load(sums + j) : load(sums + j);
      if (adds) x = (left < L ? mask.load(c + j) : load(c + j)) + x;
      if (final) x = canonical<T>(x);
      if (left < L)
        mask.store(c + j, x);
      else
        store(c + j, x);
    }
  }
}

template <class T>
inline constexpr ProductKernels<T> kProductKernels{
    kMaxRows<T>, kMaxCols<T>, kLanes<T>, product<T>, row_product<T>, row_sweep<T>, end_chain<T>};
