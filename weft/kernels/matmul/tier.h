// What a tier of matmul offers: products of blocks, packing, and storing in the dtype of C.
//
// Plain data only: the tiers are compiled with their own instruction sets, so nothing here may
// become inline code.
#pragma once

#include <cstdint>

namespace weft::kernels {

// How a block product begins and ends.
enum ProductFlags : unsigned {
  kContinue = 1,  // the chain goes on from what C holds, else it begins at +0
  kAddToC = 2,    // the chain's end is added to what C, or `base`, holds, else it is stored
  kFinal = 4,     // these are C's last steps: NaNs become the one NaN
};

// C[rows, cols] from one stretch of k. T is the accumulator type.
template <class T>
struct Product {
  int64_t rows;
  int64_t cols;
  int64_t k;
  const T* a;
  int64_t a_row;  // strides of A, unless packed
  int64_t a_col;
  bool a_packed;  // as pack_a made it; then B must be packed too
  const T* b;
  int64_t b_row;  // stride of B's rows, unless packed; its columns are contiguous
  bool b_packed;  // as pack_b made it
  T* c;
  int64_t c_row;
  unsigned flags;
  const T* base = nullptr;  // what the chain's end is added to, if not C itself
  int64_t base_row = 0;
};

// c[n] = a[k] B for B with contiguous columns: b[k, j] is at b + j * b_col + k.
template <class T>
struct RowProduct {
  int64_t n;
  int64_t k;
  int64_t chain;
  const T* a;
  int64_t a_col;
  const T* b;
  int64_t b_col;
  T* c;
};

// sums[i] = the chain over elements [i * length, (i + 1) * length) of two contiguous vectors.
template <class T>
struct ChainSums {
  int64_t count;  // of chains
  int64_t length;
  const T* a;
  const T* b;
  T* sums;
};

// The sums of a few rows of C go on over k steps of A and rows of B, whose columns are contiguous.
// Sums lie in blocks of `max_cols` columns, the last one whole too; in a block row follows row.
template <class T>
struct Sweep {
  int64_t rows;  // at most kSweepRows
  int64_t cols;
  int64_t k;
  const T* a;
  int64_t a_row;
  int64_t a_col;
  const T* b;
  int64_t b_row;
  T* sums;  // from +0 on
};
inline constexpr int64_t kSweepRows = 14;

// c[i, j] = sums[i, j], or is increased by it; with the flags kAddToC and kFinal.
template <class T>
struct SweepEnd {
  int64_t rows;
  int64_t cols;
  const T* sums;
  T* c;
  int64_t c_row;
  unsigned flags;
};

template <class T>
struct ProductKernels {
  int64_t max_rows;  // the micro-tile
  int64_t max_cols;
  int64_t lanes;
  void (*product)(const Product<T>&);
  void (*row_product)(const RowProduct<T>&);
  void (*chain_sums)(const ChainSums<T>&);
  void (*sweep)(const Sweep<T>&);
  void (*end_sweep)(const SweepEnd<T>&);
};

// Copies rows of A or columns of B into panels. Sizes count accumulators (a complex number is two).
struct Packing {
  void* to;  // with `lanes` accumulators of slack at the end
  const void* from;
  int64_t count;     // rows of A or columns of B
  int64_t k;         // steps
  int64_t stride;    // from one row of A or column of B to the next, in stored elements
  int64_t k_stride;  // from one step to the next, in stored elements
};

// Accumulators [rows, cols] to C in its dtype.
struct Storing {
  const void* from;
  int64_t from_row;
  void* to;
  int64_t to_row;
  int64_t rows;
  int64_t cols;
};

struct StorageKernels {
  void (*pack_a)(const Packing&);
  void (*pack_b)(const Packing&);
  void (*store)(const Storing&);  // null where C holds accumulators
};

// How elements lie in memory; signed and unsigned integers are the same modulo 2^bits.
enum Storage : int {
  kAsF32,
  kAsF64,
  kAsU32,
  kAsU64,
  kAsBF16,
  kAsF16,
  kAsU8,
  kAsU16,
  kAsBool,
  kAsC64,
  kAsC128,
  kNumStorages
};

struct Tier {
  ProductKernels<float> f32;
  ProductKernels<double> f64;
  ProductKernels<uint32_t> u32;
  ProductKernels<uint64_t> u64;
  StorageKernels storage[kNumStorages];
};

namespace portable {
extern const Tier kTier;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Tier kTier;
}
namespace avx512 {
extern const Tier kTier;
}
#endif

}  // namespace weft::kernels
