// Transformer layers (Vaswani et al. 2017), and stacks of them.
#pragma once

#include <functional>

#include "weft/nn/attention.h"
#include "weft/nn/dropout.h"
#include "weft/nn/linear.h"
#include "weft/nn/row_norm.h"

namespace weft::nn {

// The function between two layers: "relu", "gelu", "silu", or one of your own.
class ActivationFunction {
 public:
  ActivationFunction(const char* name);  // NOLINT: raises [TransformerLayer.activation]
  template <class F>
    requires std::invocable<const F&, const Tensor&>
  ActivationFunction(F function) : function_(std::move(function)) {}  // NOLINT
  Tensor operator()(const Tensor& x) const { return function_(x); }

 private:
  std::function<Tensor(const Tensor&)> function_;
};

struct TransformerOptions {
  int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  ActivationFunction activation = "relu";
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;  // norms stand before what they belong to
  bool bias = true;
  DType dtype = DType::kF32;
};

// What encoder and decoder layers begin with: attention to oneself and a network of two layers.
struct TransformerParts {
  TransformerParts(int64_t d_model, int64_t nhead, TransformerOptions options);

  MultiheadAttention attention() const;
  LayerNorm norm() const;
  Tensor fed_forward(const Tensor& x) const;
  // x and what `part` makes of it, normalized before or after.
  template <class Part>
  Tensor around(const Tensor& x, const LayerNorm& norm, const Dropout& drop,
                const Part& part) const;

  int64_t d_model, nhead;
  TransformerOptions options;
  MultiheadAttention self_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  static constexpr auto fields = fields_of(field("self_attn", &TransformerParts::self_attn),
                                           field("linear1", &TransformerParts::linear1),
                                           field("dropout", &TransformerParts::dropout),
                                           field("linear2", &TransformerParts::linear2));
};

// Attention to oneself, then a network of two layers, each added to its input and normalized.
struct TransformerEncoderLayer : Module<TransformerEncoderLayer> {
  TransformerEncoderLayer(int64_t d_model, int64_t nhead, TransformerOptions options = {});

  TransformerParts parts;
  LayerNorm norm1, norm2;
  Dropout dropout1, dropout2;
  static constexpr auto fields = fields_of(field("", &TransformerEncoderLayer::parts),
                                           field("norm1", &TransformerEncoderLayer::norm1),
                                           field("norm2", &TransformerEncoderLayer::norm2),
                                           field("dropout1", &TransformerEncoderLayer::dropout1),
                                           field("dropout2", &TransformerEncoderLayer::dropout2));

  Tensor operator()(const Tensor& x, const AttentionMasks& masks = {},
                    Where where = Where::here()) const {
    return passed(*this, x, masks, where);
  }
  Tensor forward(const Tensor& x, const AttentionMasks& masks, Where where) const;
  // Another layer of the same kind, with parameters of its own.
  TransformerEncoderLayer fresh() const;
};

// Attention to oneself, attention to `memory`, what the encoder gave, then a network of two layers.
struct TransformerDecoderLayer : Module<TransformerDecoderLayer> {
  TransformerDecoderLayer(int64_t d_model, int64_t nhead, TransformerOptions options = {});

  TransformerParts parts;
  MultiheadAttention multihead_attn;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout1, dropout2, dropout3;
  static constexpr auto fields =
      fields_of(field("", &TransformerDecoderLayer::parts),
                field("multihead_attn", &TransformerDecoderLayer::multihead_attn),
                field("norm1", &TransformerDecoderLayer::norm1),
                field("norm2", &TransformerDecoderLayer::norm2),
                field("norm3", &TransformerDecoderLayer::norm3),
                field("dropout1", &TransformerDecoderLayer::dropout1),
                field("dropout2", &TransformerDecoderLayer::dropout2),
                field("dropout3", &TransformerDecoderLayer::dropout3));

  Tensor operator()(const Tensor& x, const Tensor& memory, const AttentionMasks& masks = {},
                    const AttentionMasks& memory_masks = {}, Where where = Where::here()) const {
    return passed(*this, x, memory, masks, memory_masks, where);
  }
  Tensor forward(const Tensor& x, const Tensor& memory, const AttentionMasks& masks,
                 const AttentionMasks& memory_masks, Where where) const;
  TransformerDecoderLayer fresh() const;
};

// `num_layers` layers of the kind of `layer`, each with parameters of its own, and a norm behind
// them. Braces make C++ construct layer and norm in this order, as Python does:
//   nn::TransformerEncoder stack{nn::TransformerEncoderLayer(8, 2), 6, nn::LayerNorm(8)};
struct TransformerEncoder : Module<TransformerEncoder> {
  TransformerEncoder(TransformerEncoderLayer layer, int64_t num_layers,
                     std::optional<LayerNorm> norm = {});

  std::vector<TransformerEncoderLayer> layers;
  std::optional<LayerNorm> norm;
  static constexpr auto fields = fields_of(field("layers", &TransformerEncoder::layers),
                                           field("norm", &TransformerEncoder::norm));

  Tensor operator()(const Tensor& x, const AttentionMasks& masks = {},
                    Where where = Where::here()) const {
    return passed(*this, x, masks, where);
  }
  Tensor forward(const Tensor& x, const AttentionMasks& masks, Where where) const;
};

struct TransformerDecoder : Module<TransformerDecoder> {
  TransformerDecoder(TransformerDecoderLayer layer, int64_t num_layers,
                     std::optional<LayerNorm> norm = {});

  std::vector<TransformerDecoderLayer> layers;
  std::optional<LayerNorm> norm;
  static constexpr auto fields = fields_of(field("layers", &TransformerDecoder::layers),
                                           field("norm", &TransformerDecoder::norm));

  Tensor operator()(const Tensor& x, const Tensor& memory, const AttentionMasks& masks = {},
                    const AttentionMasks& memory_masks = {}, Where where = Where::here()) const {
    return passed(*this, x, memory, masks, memory_masks, where);
  }
  Tensor forward(const Tensor& x, const Tensor& memory, const AttentionMasks& masks,
                 const AttentionMasks& memory_masks, Where where) const;
};

}  // namespace weft::nn
