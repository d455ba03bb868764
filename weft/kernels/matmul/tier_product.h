// The micro-kernels: a tile of C held in registers over one stretch of k; and the loops over tiles.
//
// Included only by tier_*.cc, inside the tier's own namespace (see tier_vector.h).
#include "weft/kernels/matmul/tier_transpose.h"

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
  const T* base;  // with kAddToC: C or another matrix
  int64_t base_row;
};

enum class Form { kStrided, kStridedPart, kPacked };  // Part: B's last vector is masked

// Reads the tile of C, or adds that of `base` to `tile`; the last vector of a row may be a part.
template <bool adds, class T, int R, int N>
inline void load_tile(const MicroTile<T>& t, const Mask<T>& mask, Vector<T> (&tile)[R][N]) {
  const T* const from = adds ? t.base : t.c;
  const int64_t row = adds ? t.base_row : t.c_row;
  const bool full = t.last_lanes == kLanes<T>;
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) {
      const T* at = from + r * row + n * kLanes<T>;
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
                   p.flags,
                   (p.base == nullptr ? p.c : p.base) + j,
                   p.base == nullptr ? p.c_row : p.base_row};
    for (int64_t panel = 0; panel < panels.count; ++panel) {
      const int64_t rows = panels.rows_of(panel);
      find_micro<T>(form, static_cast<int>(rows), vectors)(t);
      t.a += rows * (p.a_packed ? p.k : p.a_row);
      t.c += rows * p.c_row;
      t.base += rows * t.base_row;
    }
  }
}
