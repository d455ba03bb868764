// attention: softmax(q k^T * scale + mask) v and its gradient, on raw memory, in memory linear in
// queries and keys.
//
// Milakov and Gimelshein 2018 (online softmax), Dao et al. 2022 (blocks, recomputed backwards).
//
// The meaning. Products of queries and keys are chains of fma over the features. Forwards, keys go
// in blocks of kKeyBlock: greatest = max(greatest before, scores), weight = exp(score - greatest),
// total = total * shrink + sum of the weights, out = out * shrink + chain of fma over the block's
// weights and values, where shrink = exp(greatest before - greatest); at the end out * (1 / total)
// and lse = greatest + log(total), which is the caller's to compute. The sum of weights is that of
// 16 parts, key j in part j % 16, joined as halves. Backwards, weight = exp(score - lse) and blocks
// are kKeyBlockBack keys by kQueryBlockBack queries: the end of each block's chain of fma is added
// to the sum of those before, in ascending order. exp is a power of two, scores times log2(e), and
// 0 if that rounds to less than the least exponent; keys that no query of the same strip of
// kStripRows sees are left out. So no thread count, tier or batch changes a bit.
#pragma once

#include <cstdint>

namespace weft::kernels {

inline constexpr int64_t kStripRows = 24;
inline constexpr int64_t kKeyBlock = 256;
inline constexpr int64_t kKeyBlockBack = 128;
inline constexpr int64_t kQueryBlockBack = 128;

// q [batch, heads, groups, queries, features], k [batch, heads, keys, features], v [batch, heads,
// keys, values], contiguous. The mask has a stride, or 0, for each axis of the scores but the last,
// along which it is contiguous; null: none.
template <class T>
struct AttentionArgs {
  int64_t batch, heads, groups, queries, keys, features, values;
  const T* q;
  const T* k;
  const T* v;
  const T* mask;
  int64_t mask_stride[4];
  T scale;
  bool causal;  // query i sees keys up to i only
};

// out like q with `values` features; greatest and total [batch, heads, groups, queries].
template <class T>
struct AttentionOut {
  T* out;
  T* greatest;
  T* total;
};
template <class T>
void attention(const AttentionArgs<T>& args, const AttentionOut<T>& out);

// g like out; stats [batch, heads, groups, queries, 2]: lse, and the sum of g * out.
template <class T>
struct AttentionCotangents {
  const T* g;
  const T* stats;
  T* dq;
  T* dk;
  T* dv;
};
template <class T>
void attention_vjp(const AttentionArgs<T>& args, const AttentionCotangents<T>& to);

}  // namespace weft::kernels
