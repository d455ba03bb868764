// What a tier of attention offers: scores of a few queries to weights, forwards and backwards.
//
// Plain data only: the tiers are compiled with their own instruction sets, so nothing here may
// become inline code.
#pragma once

#include <cstdint>

namespace weft::kernels {

// Rows of sums are kept in this many parts on every tier: that of key j is j % kScoreLanes.
inline constexpr int64_t kScoreLanes = 16;
inline constexpr int64_t kStepRows = 32;  // at most, of a SoftmaxStep

// Products [rows, keys] of queries and keys; rows have room up to a multiple of kScoreLanes.
template <class T>
struct Scores {
  int64_t rows;
  int64_t keys;
  T* products;
  int64_t row;  // from row to row
  T scale;      // score = product * scale + mask
  const T* mask;
  int64_t mask_row;
  bool causal;
  int64_t seen;  // if causal, row i sees keys below seen + i only
};

// Products to weights exp(score - greatest). What the rows have seen so far goes on: the greatest
// score times log2(e), the sum of the weights. `shrink` is what earlier weights are to be
// multiplied by.
template <class T>
struct SoftmaxStep {
  Scores<T> scores;
  T* greatest;
  T* total;
  T* shrink;
};

// Products to weights exp(score - lse), and g, the cotangents of the weights, to those of the
// products: weight * scale * (g - delta).
template <class T>
struct SoftmaxAgain {
  Scores<T> scores;
  T* g;
  const T* stats;  // lse and delta of a row, side by side
};

// x[i, j] *= by[i]; NaNs become the one NaN.
template <class T>
struct RowScaling {
  int64_t rows;
  int64_t cols;
  T* x;
  const T* by;
};

template <class T>
struct AttentionKernels {
  void (*step)(const SoftmaxStep<T>&);
  void (*again)(const SoftmaxAgain<T>&);
  void (*scale_rows)(const RowScaling<T>&);
};

struct AttentionTier {
  AttentionKernels<float> f32;
  AttentionKernels<double> f64;
};

namespace portable {
extern const AttentionTier kAttentionTier;
}
#if defined(__x86_64__)
namespace avx2 {
extern const AttentionTier kAttentionTier;
}
namespace avx512 {
extern const AttentionTier kAttentionTier;
}
#endif

}  // namespace weft::kernels
