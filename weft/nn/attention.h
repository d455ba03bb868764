// Attention of several heads, with its projections.
#pragma once

#include "weft/nn/linear.h"

namespace weft::nn {

struct AttentionOptions {
  double dropout = 0;
  bool bias = true;
  std::optional<int64_t> kdim = {}, vdim = {};  // features of keys and values: embed_dim
  bool batch_first = false;  // inputs are [batch, time, features], else [time, batch, features]
  DType dtype = DType::kF32;
  std::optional<random::Key> key = {};
};

// Which keys a query sees: true means that it does, numbers are added to the scores.
struct AttentionMasks {
  Tensor mask = {};      // broadcasts to [batch, heads, queries, keys]
  Tensor key_mask = {};  // [batch, keys]
  bool is_causal = false;
};

// Attention by num_heads heads over equal parts of embed_dim features. Projections begin as in
// PyTorch: glorot_uniform with biases of 0, the last one as Linear does with a bias of 0.
//   nn::MultiheadAttention(8, 2, {.batch_first = true})(x, x, x, {.is_causal = true})
struct MultiheadAttention : Layer<MultiheadAttention> {
  MultiheadAttention(int64_t embed_dim, int64_t num_heads, AttentionOptions options = {});

  int64_t embed_dim, num_heads;
  // One weight of all three if keys and values have embed_dim features, else one for each.
  mutable Variable in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias;
  Linear out_proj;
  static constexpr auto fields =
      fields_of(field("in_proj_weight", &MultiheadAttention::in_proj_weight),
                field("q_proj_weight", &MultiheadAttention::q_proj_weight),
                field("k_proj_weight", &MultiheadAttention::k_proj_weight),
                field("v_proj_weight", &MultiheadAttention::v_proj_weight),
                field("in_proj_bias", &MultiheadAttention::in_proj_bias),
                field("out_proj", &MultiheadAttention::out_proj));

  Tensor operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                    const AttentionMasks& masks = {}, Where where = Where::here()) const {
    return passed(*this, query, key, value, masks, where);
  }
  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value,
                 const AttentionMasks& masks, Where where) const;
  // The result, and the weights averaged over the heads, [batch, queries, keys].
  std::pair<Tensor, Tensor> with_weights(const Tensor& query, const Tensor& key,
                                         const Tensor& value, const AttentionMasks& masks = {},
                                         Where where = Where::here()) const;
  std::string extra_repr() const override;
  std::vector<Wanted> wanted(int64_t size) const override;

 private:
  std::pair<Tensor, Tensor> attended(Tensor query, Tensor key, Tensor value,
                                     const AttentionMasks& masks, bool need_weights) const;
  Tensors projected(const Tensor& query, const Tensor& key, const Tensor& value) const;
  std::pair<Tensor, Tensor> written_out(const Tensors& heads, const Tensor& mask, bool is_causal,
                                        double drops) const;
  bool is_joined() const;

  AttentionOptions options_;
};

}  // namespace weft::nn
