// Places for the native kernels of attention; see native.h.
#pragma once

#include "weft/core/native.h"

namespace weft {

// Scores of attention are products times `scale`; causal: query i sees keys up to i only.
struct AttentionRule {
  double scale = 1;
  bool causal = false;
};

namespace native {

// softmax(q k^T * scale + mask) v for q [batch, heads, groups, queries, features], k and v [batch,
// heads, keys, ..], all contiguous; f32 or f64. The greatest score of a query and the sum of its
// weights, counted from that score, come besides. An undefined mask is none; its five axes
// broadcast to the scores. There are keys.
extern Native<void(const Tensor& out, const Tensor& greatest, const Tensor& total, const Tensor& q,
                   const Tensor& k, const Tensor& v, const Tensor& mask, AttentionRule rule)>
    attention;
// Its cotangents, from that of out and, for each query, the logsumexp of its scores and the sum of
// g * out.
extern Native<void(const Tensor& dq, const Tensor& dk, const Tensor& dv, const Tensor& q,
                   const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& g,
                   const Tensor& stats, AttentionRule rule)>
    attention_vjp;

}  // namespace native
}  // namespace weft
