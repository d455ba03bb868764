// One row of A against columns of B that are contiguous: squares of B are transposed in registers.
//
// Included only by tier_*.cc, inside the tier's own namespace (see tier_vector.h).
#include "weft/kernels/matmul/tier_product.h"

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

// `lanes` columns on their way along k.
template <class T>
struct Stream {
  const T* at;  // the first column, at step k
  T* c;
  int64_t k;
  int64_t end;  // of the chain
  Vector<T> chain;
  Vector<T> total;
};

template <class T>
inline constexpr int kLine = 64 / static_cast<int>(sizeof(T));

// Whole cache lines up to the end of the stream's chain.
template <class T>
inline int64_t lines_left(const Stream<T>& s) {
  return (s.end - s.k) / kLine<T>;
}

// G streams go on by `lines` cache lines each: the chains of one alone would wait for themselves.
template <class T, int G>
void advance(const RowProduct<T>& p, Stream<T>* streams, int64_t lines) {
  constexpr int S = kSquareSteps<T>;
  const T* a[G];
  const T* at[G];
  Vector<T> chain[G];
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
    a[g] = p.a + streams[g].k * p.a_col;
    at[g] = streams[g].at;
    chain[g] = streams[g].chain;
  }
  for (int64_t line = 0; line < lines; ++line) {
#pragma GCC unroll 4
    for (int q = 0; q < kLine<T>; q += S) {
      Vector<T> square[G][S];
#pragma GCC unroll 4
      for (int g = 0; g < G; ++g) load_square(at[g] + q, p.b_col, square[g]);
#pragma GCC unroll 16
      for (int i = 0; i < S; ++i) {
#pragma GCC unroll 4
        for (int g = 0; g < G; ++g) {
          chain[g] = step<T>(broadcast(a[g][(q + i) * p.a_col]), square[g][i], chain[g]);
        }
      }
    }
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) {
      at[g] += kLine<T>;
      a[g] += kLine<T> * p.a_col;
      __asm__("" : "+r"(at[g]), "+r"(a[g]));
    }
  }
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
    streams[g].at = at[g];
    streams[g].k += lines * kLine<T>;
    streams[g].chain = chain[g];
  }
}

// Where no whole line is left of a chain: its last steps and its end. True at the columns' end.
template <class T>
bool end_chain(const RowProduct<T>& p, Stream<T>& s) {
  for (; s.k < s.end; ++s.k, ++s.at) {
    Vector<T> column{};
    for (int i = 0; i < kLanes<T>; ++i) column[i] = s.at[i * p.b_col];
    s.chain = step<T>(broadcast(p.a[s.k * p.a_col]), column, s.chain);
  }
  s.total = s.end <= p.chain ? s.chain : s.total + s.chain;
  s.chain = Vector<T>{};
  s.end = s.end + p.chain < p.k ? s.end + p.chain : p.k;
  if (s.k < p.k) return false;
  store(s.c, canonical<T>(s.total));
  return true;
}

// The columns of a product, handed out to streams.
template <class T>
struct Columns {
  const RowProduct<T>& p;
  int64_t next = 0;  // column

  // The last ones begin earlier, so that some are computed twice.
  bool begin(Stream<T>& s) {
    if (next >= p.n) return false;
    const int64_t j = next + kLanes<T> <= p.n ? next : p.n - kLanes<T>;
    s = Stream<T>{p.b + j * p.b_col, p.c + j,    0, p.chain < p.k ? p.chain : p.k,
                  Vector<T>{},       Vector<T>{}};
    next += kLanes<T>;
    return true;
  }

  // Until no stream is left.
  template <int G>
  void run(Stream<T>* streams) {
    for (;;) {
      int64_t lines = lines_left(streams[0]);
      for (int g = 1; g < G; ++g) {
        const int64_t left = lines_left(streams[g]);
        lines = left < lines ? left : lines;
      }
      if (lines > 0) advance<T, G>(p, streams, lines);
      for (int g = 0; g < G; ++g) {
        if (lines_left(streams[g]) > 0 || !end_chain(p, streams[g]) || begin(streams[g])) continue;
        streams[g] = streams[G - 1];
        if constexpr (G > 1) run<G - 1>(streams);
        return;
      }
    }
  }
};

// Fewer columns than lanes: the last one fills the lanes that are left.
template <class T>
void row_product_of_few(const RowProduct<T>& p) {
  constexpr int W = kLanes<T>;
  const int count = static_cast<int>(p.n);
  const T* columns[W];
  for (int i = 0; i < W; ++i) columns[i] = p.b + (i < count ? i : count - 1) * p.b_col;
  Vector<T> total{};
  for (int64_t k0 = 0; k0 < p.k; k0 += p.chain) {
    const int64_t k1 = k0 + p.chain < p.k ? k0 + p.chain : p.k;
    Vector<T> chain{};
    int64_t k = k0;
    for (; k + W <= k1; k += W) {
      Vector<T> square[W];
      load_transposed<T>(columns, k, square);
#pragma GCC unroll 16
      for (int i = 0; i < W; ++i) {
        chain = step<T>(broadcast(p.a[(k + i) * p.a_col]), square[i], chain);
      }
    }
    for (; k < k1; ++k) {
      Vector<T> column{};
      for (int i = 0; i < W; ++i) column[i] = columns[i][k];
      chain = step<T>(broadcast(p.a[k * p.a_col]), column, chain);
    }
    total = k0 == 0 ? chain : total + chain;
  }
  store_part(p.c, canonical<T>(total), count);
}

// A chain over `length` elements of `lanes` pairs of places, a lane each: neighbours in memory are
// steps of one chain, so squares of both operands are transposed. `lanes` stretches side by side
// lie `ahead` of each operand, and are fetched meanwhile: the steps of so many streams are not
// foreseen by the hardware.
template <class T>
Vector<T> lane_chains(const T* const* a, const T* const* b, int64_t length, int64_t ahead) {
  constexpr int W = kLanes<T>;
  Vector<T> chain{};
  int64_t k = 0;
  for (; k + W <= length; k += W) {
    for (int i = 0; ahead > 0 && i < W * W; i += kLine<T>) {
      __builtin_prefetch(a[0] + ahead + k * W + i, 0, 2);
      __builtin_prefetch(b[0] + ahead + k * W + i, 0, 2);
    }
    Vector<T> left[W], right[W];
    load_transposed<T>(a, k, left);
    load_transposed<T>(b, k, right);
#pragma GCC unroll 16
    for (int i = 0; i < W; ++i) chain = step<T>(left[i], right[i], chain);
  }
  for (; k < length; ++k) {
    Vector<T> left{}, right{};
    for (int i = 0; i < W; ++i) left[i] = a[i][k], right[i] = b[i][k];
    chain = step<T>(left, right, chain);
  }
  return chain;
}

// The last lanes begin earlier, so that some chains are computed twice; of fewer chains than lanes
// the last one fills the others.
template <class T>
void chain_sums(const ChainSums<T>& p) {
  constexpr int W = kLanes<T>;
  const int count = p.count < W ? static_cast<int>(p.count) : W;
  for (int64_t next = 0; next < p.count; next += W) {
    const int64_t first = next + W <= p.count || p.count < W ? next : p.count - W;
    const T* a[W];
    const T* b[W];
    for (int i = 0; i < W; ++i) {
      const int64_t chain = first + (i < count ? i : count - 1);
      a[i] = p.a + chain * p.length;
      b[i] = p.b + chain * p.length;
    }
    const int64_t ahead = first + 2 * W <= p.count ? W * p.length : 0;
    store_part(p.sums + first, lane_chains<T>(a, b, p.length, ahead), count);
  }
}

// Columns a multiple of 2 KB apart share few sets of the cache, which have room for eight: then the
// streams are kept some lines apart, that each may have sets of its own.
template <class T>
void row_product(const RowProduct<T>& p) {
  if (p.n < kLanes<T>) return row_product_of_few(p);
  Columns<T> columns{p};
  Stream<T> streams[2];
  columns.begin(streams[0]);
  if (!columns.begin(streams[1])) return columns.template run<1>(streams);
  const int64_t most = lines_left(streams[0]) - 1;
  if (p.b_col * static_cast<int64_t>(sizeof(T)) % 2048 == 0 && most > 0) {
    advance<T, 1>(p, streams, most < 13 ? most : 13);
  }
  columns.template run<2>(streams);
}
