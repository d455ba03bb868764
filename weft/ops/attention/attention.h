// Attention: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/infer.h"
#include "weft/op/op.h"

namespace weft {

// Of the primitives, which take queries [batch, heads, groups, queries, features] that are scaled
// already, keys and values [batch, heads, keys, features], and a mask that is added and broadcasts
// to [batch, heads, groups, queries, keys].
struct FlashAttrs {
  bool causal = false;
  static constexpr auto fields =
      fields_of(field("causal", &FlashAttrs::causal, "query i sees keys up to i only"));
};

// Shapes of a problem, all of them known.
struct FlashSizes {
  int64_t batch, heads, groups, queries, keys, features, value_features;

  FlashSizes(const Tensor& q, const Tensor& k, const Tensor& v);
};

// Blocks of the primitives: part of their meaning, as sums go block by block.
inline constexpr int64_t kQueryBlock = 128;
inline constexpr int64_t kKeyBlock = 256;

// What blocks have in common: views of the operands, and the mask of a block.
class FlashBlocks {
 public:
  FlashBlocks(const FlashSizes& sizes, const Tensor& mask, bool causal, DType dtype);

  // Rows [first, first + count) of matrix `index` of x [.., rows, columns], of contiguous memory.
  static Tensor rows(const Tensor& x, int64_t index, int64_t first, int64_t count);
  // What is added to the scores of a block: [queries, keys], or one row for all.
  Tensor mask(int64_t batch, int64_t head, int64_t group, int64_t query, int64_t queries,
              int64_t key, int64_t keys) const;
  // The first key that no query below `end` sees.
  int64_t keys_seen(int64_t end) const;

 private:
  FlashSizes sizes_;
  Tensor mask_;      // five axes, or undefined
  Tensor diagonal_;  // 0 and -inf, as a vector of which triangles are views
  Tensor nothing_;   // a row of 0
  bool causal_;
};

// The same on whole matrices, for the rules: nothing is saved, everything is differentiable.
struct PlainAttention {
  Tensor q, k, v, mask;  // keys and values with an axis of groups
  Where where;

  PlainAttention(const FlashAttrs& at, const Tensor& q, const Tensor& k, const Tensor& v,
                 const Tensor& mask, Where where);
  Tensor scores() const;                          // q k^T + mask
  Tensor probabilities(const Tensor& lse) const;  // exp(scores - lse), lse [.., queries, 1]
  Tensor over_groups(const Tensor& x) const;      // summed over the axis of groups
};
Tensor transposed(const Tensor& x, Where where);  // the last two axes exchanged

// The batch joins the first axis; a mask that all examples share stays as it is, if it can.
Tensors flash_batched(const OpDef& op, size_t mask, const FlashAttrs& at, const BatchCtx& cx);

namespace nn {
// q [.., heads, queries, features], k and v [.., heads, keys, features]; mask may be undefined.
Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const Tensor& mask = Tensor(), bool is_causal = false,
                                    Where where = Where::here());
// Heads are parts of the last axis of q, k and v [.., rows, heads * features].
Tensor multi_head_attention(const Tensor& q, const Tensor& k, const Tensor& v, int64_t num_heads,
                            const Tensor& mask = Tensor(), bool is_causal = false,
                            Where where = Where::here());
}  // namespace nn

extern const OpDef kFlash, kFlashVjp, kFlashStep, kFlashWeights;
extern const CompositeDef kScaledDotProductAttention, kMultiHeadAttention;

}  // namespace weft
