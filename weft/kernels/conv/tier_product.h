// The micro-kernels of convolution: tiles held in registers, whose operands lie where pointers say.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/matmul/tier_product.h"

// Every row has a pointer in a register of its own.
template <class T>
inline constexpr int kPlaceRows = kMaxRows<T> < 12 ? kMaxRows<T> : 12;

// A vector that is a line of cache goes past the caches; a shorter one must not, since lines that
// are filled in parts gain nothing.
template <class T>
inline void store_line_past(T* to, Vector<T> value) {
#if WEFT_TIER_BYTES == 64
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)value);
#else
  store(to, value);
#endif
}

// A tile of R rows and N vectors; rows of C lie apart.
template <class T, int R, int N>
struct Tile {
  Vector<T> acc[R][N] = {};

  // Adds what C holds, cleans NaNs and stores, as the flags say; `past` the caches only sums that
  // are whole, in rows that are whole lines.
  void end(T* const* c, int64_t col, int last_lanes, unsigned flags, bool past) {
    const Mask<T> mask(last_lanes);
    const bool full = last_lanes == kLanes<T>;
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      T* row = c[r] + col;
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) {
        T* at = row + n * kLanes<T>;
        const bool whole = n + 1 < N || full;
        Vector<T> sum = acc[r][n];
        if ((flags & kAddToC) != 0) sum = (whole ? load(at) : mask.load(at)) + sum;
        if ((flags & kFinal) != 0) sum = canonical<T>(sum);
        if (past)
          store_line_past(at, sum);
        else if (whole)
          store(at, sum);
        else
          mask.store(at, sum);
      }
    }
  }
};

// Tiles of so few steps wait for the lines of C that they write, unless asked for in time.
inline constexpr int64_t kFewSteps = 64;

template <class T>
struct PlaceTile {
  const PlaceProduct<T>* p;
  const T* const* table;  // of the first row and the chain's first segment
  int64_t skipped;        // steps of that segment before the chain
  const T* b;
  T* const* c;
  int64_t col;
  int last_lanes;
  bool asks;        // for the rows of the tile after the next
  bool asks_for_c;  // that of the tile after it
};

template <class T, int R, int N>
void place_micro(const PlaceTile<T>& t) {
  constexpr int L = kLanes<T>;
  Tile<T, R, N> tile;
  const T* b = t.b;
  const T* const* table = t.table;
  int64_t skipped = t.skipped;
  if (t.asks_for_c) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) __builtin_prefetch(t.c[2 * R + r] + t.col, 1);
  }
  for (int64_t left = t.p->end - t.p->begin; left > 0;) {
    const int64_t rest = t.p->length - skipped;
    int64_t steps = rest < left ? rest : left;
    const int64_t first = t.p->offset + skipped;
    if (t.asks) {
      // A line of each row, while one is computed: asking for whole rows at once takes all the
      // places where the core keeps track of misses. Past the last row the table goes on with other
      // pointers.
      constexpr int64_t kLine = 64 / sizeof(T);
      if (steps > kLine) steps = kLine;
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) __builtin_prefetch(table[2 * R + r] + first);
    }
    const T* a[R];
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) a[r] = table[r] + (first + steps);
    WEFT_TIER_UNROLL
    for (int64_t k = -steps; k < 0; ++k) {
      Vector<T> bv[N];
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) bv[n] = load(b + n * L);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const Vector<T> av = broadcast(a[r][k]);
#pragma GCC unroll 8
        for (int n = 0; n < N; ++n) tile.acc[r][n] = step<T>(av, bv[n], tile.acc[r][n]);
      }
      b += N * L;
      __asm__("" : "+r"(b));
    }
    left -= steps;
    skipped += steps;
    if (skipped == t.p->length) {
      skipped = 0;
      table += t.p->table_row;
    }
  }
  tile.end(t.c, t.col, t.last_lanes, t.p->flags, t.p->past_caches);
}

// The micro-kernels of one width, by number of rows.
template <class T, int N, size_t... R>
constexpr auto place_micros_of(std::index_sequence<R...>) {
  struct Table {
    void (*by_rows[sizeof...(R)])(const PlaceTile<T>&);
  };
  return Table{{place_micro<T, static_cast<int>(R) + 1, N>...}};
}
template <class T, int N>
inline constexpr auto kPlaceMicros =
    place_micros_of<T, N>(std::make_index_sequence<kPlaceRows<T>>{});

// A panel of columns: where it begins, and how many vectors and lanes it has.
template <class T>
struct ColumnPanel {
  int vectors;
  int last_lanes;

  ColumnPanel(int64_t cols, int64_t j) {
    const int64_t left = cols - j;
    const int64_t valid = left < kMaxCols<T> ? left : kMaxCols<T>;
    vectors = left > kLanes<T> ? kMaxVectors : 1;
    last_lanes = static_cast<int>(valid) - (vectors - 1) * kLanes<T>;
  }
};

// So many rows meet all columns before the next ones do: they stay in L1 if they are short, and
// what is written is whole rows of C.
inline constexpr int64_t kRowsAtOnce = 48;

template <class T>
void place_product(const PlaceProduct<T>& p) {
  constexpr int64_t kPanelsAtOnce = kRowsAtOnce / kPlaceRows<T>;
  const RowPanels panels(p.rows, kPlaceRows<T>);
  const int64_t first = p.begin / p.length;
  const int64_t depth = p.end - p.begin;
  const bool asks_for_c = depth <= kFewSteps && !p.past_caches;
  int64_t row = 0, next_row = 0;
  for (int64_t begin = 0; begin < panels.count; begin += kPanelsAtOnce, row = next_row) {
    const int64_t later = begin + kPanelsAtOnce;
    const int64_t end = later < panels.count ? later : panels.count;
    for (int64_t j = 0; j < p.cols; j += kMaxCols<T>) {
      const ColumnPanel<T> panel(p.cols, j);
      PlaceTile<T> t{&p,
                     p.table + first * p.table_row + row,
                     p.begin - first * p.length,
                     p.b + j * depth,
                     p.c + row,
                     p.c_offset + j,
                     panel.last_lanes,
                     false,
                     false};
      for (int64_t i = begin; i < end; ++i) {
        const int64_t rows = panels.rows_of(i);
        t.asks_for_c = asks_for_c && i + 4 < panels.count;
        t.asks = p.reads_once && j == 0 && i + 3 < panels.count;
        (panel.vectors == 1 ? kPlaceMicros<T, 1>.by_rows[rows - 1]
                            : kPlaceMicros<T, 2>.by_rows[rows - 1])(t);
        t.table += rows;
        t.c += rows;
      }
      next_row = t.c - p.c;
    }
  }
}

inline constexpr int64_t kStepsAtOnce = 16;
inline constexpr int64_t kFewPanels = 6;  // the lines that are written fit in one set of L1

// Steps [first, end) of the panel from column j on; asks for those that come later.
template <class T, int N, bool whole>
inline void pack_panel(T* to, const TapPacking<T>& p, int64_t first, int64_t end, int64_t ahead,
                       int64_t j, const Mask<T>& mask) {
  constexpr int L = kLanes<T>;
  to += first * N * L;
  for (int64_t k = first; k < end; ++k, to += N * L) {
    const T* from = p.table[k] + (p.offset + j);
    if (k + ahead < p.k) __builtin_prefetch(p.table[k + ahead] + (p.offset + j));
#pragma GCC unroll 4
    for (int n = 0; n + 1 < N; ++n) store(to + n * L, load(from + n * L));
    const T* last = from + (N - 1) * L;
    store(to + (N - 1) * L, whole ? load(last) : mask.load(last));
  }
}

// Some steps for all panels, then the next ones: a step is read as it lies. One by one where that
// keeps memory in order and the panels few.
template <class T>
void pack_taps(const TapPacking<T>& p) {
  const bool in_order = p.in_order && p.cols <= kFewPanels * kMaxCols<T>;
  const int64_t at_once = in_order ? 1 : kStepsAtOnce, ahead = in_order ? 32 : kStepsAtOnce;
  for (int64_t k = 0; k < p.k; k += at_once) {
    const int64_t end = k + at_once < p.k ? k + at_once : p.k;
    T* to = p.to;
    for (int64_t j = 0; j < p.cols; j += kMaxCols<T>) {
      const ColumnPanel<T> panel(p.cols, j);
      const Mask<T> mask(panel.last_lanes);
      const bool whole = panel.last_lanes == kLanes<T>;
      if (panel.vectors == 2) {
        whole ? pack_panel<T, 2, true>(to, p, k, end, ahead, j, mask)
              : pack_panel<T, 2, false>(to, p, k, end, ahead, j, mask);
      } else {
        whole ? pack_panel<T, 1, true>(to, p, k, end, ahead, j, mask)
              : pack_panel<T, 1, false>(to, p, k, end, ahead, j, mask);
      }
      to += panel.vectors * kLanes<T> * p.k;
    }
  }
}
