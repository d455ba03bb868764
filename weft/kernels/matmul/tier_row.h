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
