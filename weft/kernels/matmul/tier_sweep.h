// Few rows of A against rows of B that are contiguous: a few rows of B at a time are swept from end
// to end, so that B is read once, in long stretches, and the sums stay in cache.
//
// Included only by tier_*.cc, inside the tier's own namespace (see tier_vector.h).
#include "weft/kernels/matmul/tier_row.h"

// One row of A: K steps over all columns, N vectors at a time.
template <class T, int K>
void sweep_one_row(const Sweep<T>& p, int64_t k0) {
  constexpr int L = kLanes<T>;
  constexpr int N = 4;
  const bool begins = k0 == 0;
  Vector<T> av[K];
  const T* row[K];
#pragma GCC unroll 8
  for (int k = 0; k < K; ++k) {
    av[k] = broadcast(p.a[(k0 + k) * p.a_col]);
    row[k] = p.b + (k0 + k) * p.b_row;
  }
  int64_t j = 0;
  for (; j + N * L <= p.cols; j += N * L) {
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
  for (; j < p.cols; j += L) {
    const int64_t left = p.cols - j;
    const Mask<T> mask(static_cast<int>(left < L ? left : L));
    Vector<T> acc = begins ? Vector<T>{} : load(p.sums + j);
    for (int k = 0; k < K; ++k) acc = step<T>(av[k], mask.load(row[k] + j), acc);
    store(p.sums + j, acc);
  }
}

// K steps of one block of columns, held in registers, for all rows; a is [rows][K].
template <class T, int K>
inline void sweep_block(const T* a, int64_t rows, const Vector<T> (&b)[K][kMaxVectors], T* sums,
                        bool begins) {
  constexpr int L = kLanes<T>;
  for (int64_t r = 0; r < rows; ++r) {
    Vector<T> acc[kMaxVectors] = {};
    if (!begins) {
#pragma GCC unroll 2
      for (int n = 0; n < kMaxVectors; ++n) acc[n] = load(sums + n * L);
    }
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) {
      const Vector<T> av = broadcast(a[k]);
#pragma GCC unroll 2
      for (int n = 0; n < kMaxVectors; ++n) acc[n] = step<T>(av, b[k][n], acc[n]);
    }
#pragma GCC unroll 2
    for (int n = 0; n < kMaxVectors; ++n) store(sums + n * L, acc[n]);
    a += K;
    sums += kMaxCols<T>;
  }
}

// K steps over all columns. A's elements are gathered first: its rows may share a set of the cache.
template <class T, int K>
void sweep_rows(const Sweep<T>& p, int64_t k0) {
  constexpr int L = kLanes<T>;
  T a[kSweepRows * K];
  for (int64_t r = 0; r < p.rows; ++r) {
    for (int k = 0; k < K; ++k) a[r * K + k] = p.a[r * p.a_row + (k0 + k) * p.a_col];
  }
  const T* from = p.b + k0 * p.b_row;
  // What the next steps read is asked for now: a stretch is too short for the hardware to see it.
  const int64_t ahead = k0 + 2 * K <= p.k ? K * p.b_row : 0;
  int64_t j = 0;
  for (; j + kMaxCols<T> <= p.cols; j += kMaxCols<T>) {
    Vector<T> b[K][kMaxVectors];
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) {
      const T* row = from + j + k * p.b_row;
      __builtin_prefetch(row + ahead, 0, 2);
#pragma GCC unroll 2
      for (int n = 0; n < kMaxVectors; ++n) b[k][n] = load(row + n * L);
    }
    sweep_block<T, K>(a, p.rows, b, p.sums + j * p.rows, k0 == 0);
  }
  if (j == p.cols) return;
  const int left = static_cast<int>(p.cols - j);
  const Mask<T> masks[] = {Mask<T>(left < L ? left : L), Mask<T>(left < L ? 0 : left - L)};
  Vector<T> b[K][kMaxVectors];
  for (int k = 0; k < K; ++k) {
    const T* row = from + j + k * p.b_row;
    for (int n = 0; n < kMaxVectors; ++n) b[k][n] = masks[n].load(row + n * L);
  }
  sweep_block<T, K>(a, p.rows, b, p.sums + j * p.rows, k0 == 0);
}

template <class T>
void sweep(const Sweep<T>& p) {
  int64_t k = 0;
  if (p.rows == 1) {
    for (; k + 8 <= p.k; k += 8) sweep_one_row<T, 8>(p, k);
    for (; k < p.k; ++k) sweep_one_row<T, 1>(p, k);
  } else {
    constexpr int K = 6;  // with two columns of accumulators they fill the registers
    for (; k + K <= p.k; k += K) sweep_rows<T, K>(p, k);
    for (; k < p.k; ++k) sweep_rows<T, 1>(p, k);
  }
}

template <class T>
void end_sweep(const SweepEnd<T>& e) {
  constexpr int L = kLanes<T>;
  const bool adds = (e.flags & kAddToC) != 0;
  const bool final = (e.flags & kFinal) != 0;
  for (int64_t i = 0; i < e.rows; ++i) {
    T* c = e.c + i * e.c_row;
    for (int64_t j = 0; j < e.cols; j += L) {
      const int64_t block = j / kMaxCols<T> * kMaxCols<T>;
      const int64_t left = e.cols - j;
      const Mask<T> mask(static_cast<int>(left < L ? left : L));
      Vector<T> x = load(e.sums + block * e.rows + i * kMaxCols<T> + (j - block));
      if (adds) x = mask.load(c + j) + x;
      if (final) x = canonical<T>(x);
      mask.store(c + j, x);
    }
  }
}

template <class T>
inline constexpr ProductKernels<T> kProductKernels{kMaxRows<T>, kMaxCols<T>,    kLanes<T>,
                                                   product<T>,  row_product<T>, chain_sums<T>,
                                                   sweep<T>,    end_sweep<T>};
