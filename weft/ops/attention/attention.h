// Attention: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/infer.h"
#include "weft/op/op.h"
#include "weft/ops/linalg/matrices.h"

namespace weft {

// Of the primitives, which take queries [batch, heads, groups, queries, features], keys and values
// [batch, heads, keys, features], and a mask that is added and broadcasts to [batch, heads, groups,
// queries, keys].
struct FlashAttrs {
  bool causal = false;
  std::optional<double> scale = 1;
  static constexpr auto fields =
      fields_of(field("causal", &FlashAttrs::causal, "query i sees keys up to i only"),
                field("scale", &FlashAttrs::scale,
                      "what products of queries and keys are "
                      "multiplied by; none: 1 / sqrt(features)"));
  // The number, of queries that have so many features.
  double scale_of(int64_t features) const;
};

// Of the ops people call.
struct AttentionAttrs {
  bool is_causal = false;
  std::optional<double> scale = {};
  bool enable_gqa = false;
  double dropout_p = 0;
  static constexpr auto fields = fields_of(
      field("is_causal", &AttentionAttrs::is_causal, "query i sees keys up to i only"),
      field("scale", &AttentionAttrs::scale,
            "what scores are multiplied by; 1 / sqrt(features) if left out"),
      field("enable_gqa", &AttentionAttrs::enable_gqa,
            "q may have a multiple of the heads of k and v, which groups of heads then share"),
      field("dropout_p", &AttentionAttrs::dropout_p,
            "the probability that a weight is dropped; needs a key"));
};

// The same on whole matrices, for the rules: nothing is saved, everything is differentiable.
struct PlainAttention {
  Tensor q, k, v, mask;  // q times the scale; keys and values with an axis of groups
  Where where;

  PlainAttention(const FlashAttrs& at, const Tensor& q, const Tensor& k, const Tensor& v,
                 const Tensor& mask, Where where);
  Tensor scores() const;                          // q k^T + mask
  Tensor probabilities(const Tensor& lse) const;  // exp(scores - lse), lse [.., queries, 1]
  Tensor over_groups(const Tensor& x) const;      // summed over the axis of groups
};
using linalg::transposed;

// x times the scale of a query, or x if there is none.
Tensor scaled(const Tensor& x, const FlashAttrs& at, Where where);

// The batch joins the first axis; a mask that all examples share stays as it is, if it can.
Tensors flash_batched(const OpDef& op, size_t mask, const FlashAttrs& at, const BatchCtx& cx);

namespace nn {
// q [.., heads, queries, features], k and v [.., heads, keys, features]; mask may be undefined.
Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const Tensor& mask = Tensor(), bool is_causal = false,
                                    Where where = Where::here());
// The same with all its options; the key is that of dropout, and may be undefined.
Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const Tensor& mask, const Tensor& key, const AttentionAttrs& at,
                                    Where where = Where::here());
// Heads are parts of the last axis of q, k and v [.., rows, heads * features].
Tensor multi_head_attention(const Tensor& q, const Tensor& k, const Tensor& v, int64_t num_heads,
                            const Tensor& mask = Tensor(), bool is_causal = false,
                            Where where = Where::here());
}  // namespace nn

extern const OpDef kFlash, kFlashVjp;
extern const CompositeDef kScaledDotProductAttention, kMultiHeadAttention;

}  // namespace weft
