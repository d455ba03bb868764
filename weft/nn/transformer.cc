// Encoder and decoder layers, and stacks of them.
#include "weft/nn/transformer.h"

#include "weft/base/error.h"
#include "weft/op/context.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft::nn {
namespace {

std::function<Tensor(const Tensor&)> function_named(std::string_view name) {
  if (name == "relu") return [](const Tensor& x) { return relu(x); };
  if (name == "gelu") return [](const Tensor& x) { return gelu(x); };
  if (name == "silu") return [](const Tensor& x) { return silu(x); };
  fail(Code::kInvalid, "TransformerLayer", "activation", "activation is '", name,
       "'; it is 'relu', 'gelu', 'silu' or a function");
}

// The layer and fresh ones of its kind.
template <class L>
std::vector<L> stacked(L layer, int64_t count) {
  std::vector<L> out;
  if (count > 0) out.push_back(std::move(layer));
  for (int64_t k = 1; k < count; ++k) out.push_back(out[0].fresh());
  return out;
}

}  // namespace

ActivationFunction::ActivationFunction(const char* name) : function_(function_named(name)) {}

TransformerParts::TransformerParts(int64_t d_model, int64_t nhead, TransformerOptions options)
    : d_model(d_model),
      nhead(nhead),
      options(std::move(options)),
      self_attn(attention()),
      linear1(d_model, this->options.dim_feedforward,
              {.bias = this->options.bias, .dtype = this->options.dtype}),
      dropout(this->options.dropout),
      linear2(this->options.dim_feedforward, d_model,
              {.bias = this->options.bias, .dtype = this->options.dtype}) {}

MultiheadAttention TransformerParts::attention() const {
  return MultiheadAttention(d_model, nhead,
                            {.dropout = options.dropout,
                             .bias = options.bias,
                             .batch_first = options.batch_first,
                             .dtype = options.dtype});
}

LayerNorm TransformerParts::norm() const {
  return LayerNorm(d_model,
                   {.eps = options.layer_norm_eps, .bias = options.bias, .dtype = options.dtype});
}

Tensor TransformerParts::fed_forward(const Tensor& x) const {
  return linear2(dropout(options.activation(linear1(x))));
}

template <class Part>
Tensor TransformerParts::around(const Tensor& x, const LayerNorm& norm, const Dropout& drop,
                                const Part& part) const {
  if (options.norm_first) return x + drop(part(norm(x)));
  return norm(x + drop(part(x)));
}

TransformerEncoderLayer::TransformerEncoderLayer(int64_t d_model, int64_t nhead,
                                                 TransformerOptions options)
    : parts(d_model, nhead, std::move(options)),
      norm1(parts.norm()),
      norm2(parts.norm()),
      dropout1(parts.dropout.p),
      dropout2(parts.dropout.p) {}

Tensor TransformerEncoderLayer::forward(const Tensor& x, const AttentionMasks& masks,
                                        Where where) const {
  const CalledFrom line(where);
  const auto attended = [&](const Tensor& y) { return parts.self_attn(y, y, y, masks); };
  const auto fed = [&](const Tensor& y) { return parts.fed_forward(y); };
  return parts.around(parts.around(x, norm1, dropout1, attended), norm2, dropout2, fed);
}

TransformerEncoderLayer TransformerEncoderLayer::fresh() const {
  return TransformerEncoderLayer(parts.d_model, parts.nhead, parts.options);
}

TransformerDecoderLayer::TransformerDecoderLayer(int64_t d_model, int64_t nhead,
                                                 TransformerOptions options)
    : parts(d_model, nhead, std::move(options)),
      multihead_attn(parts.attention()),
      norm1(parts.norm()),
      norm2(parts.norm()),
      norm3(parts.norm()),
      dropout1(parts.dropout.p),
      dropout2(parts.dropout.p),
      dropout3(parts.dropout.p) {}

Tensor TransformerDecoderLayer::forward(const Tensor& x, const Tensor& memory,
                                        const AttentionMasks& masks,
                                        const AttentionMasks& memory_masks, Where where) const {
  const CalledFrom line(where);
  const auto attended = [&](const Tensor& y) { return parts.self_attn(y, y, y, masks); };
  const auto remembered = [&](const Tensor& y) {
    return multihead_attn(y, memory, memory, memory_masks);
  };
  const auto fed = [&](const Tensor& y) { return parts.fed_forward(y); };
  Tensor out = parts.around(x, norm1, dropout1, attended);
  out = parts.around(out, norm2, dropout2, remembered);
  return parts.around(out, norm3, dropout3, fed);
}

TransformerDecoderLayer TransformerDecoderLayer::fresh() const {
  return TransformerDecoderLayer(parts.d_model, parts.nhead, parts.options);
}

TransformerEncoder::TransformerEncoder(TransformerEncoderLayer layer, int64_t num_layers,
                                       std::optional<LayerNorm> norm)
    : layers(stacked(std::move(layer), num_layers)), norm(std::move(norm)) {}

Tensor TransformerEncoder::forward(const Tensor& x, const AttentionMasks& masks,
                                   Where where) const {
  const CalledFrom line(where);
  Tensor out = x;
  for (const TransformerEncoderLayer& layer : layers) out = layer(out, masks);
  return norm ? (*norm)(out) : out;
}

TransformerDecoder::TransformerDecoder(TransformerDecoderLayer layer, int64_t num_layers,
                                       std::optional<LayerNorm> norm)
    : layers(stacked(std::move(layer), num_layers)), norm(std::move(norm)) {}

Tensor TransformerDecoder::forward(const Tensor& x, const Tensor& memory,
                                   const AttentionMasks& masks, const AttentionMasks& memory_masks,
                                   Where where) const {
  const CalledFrom line(where);
  Tensor out = x;
  for (const TransformerDecoderLayer& layer : layers) out = layer(out, memory, masks, memory_masks);
  return norm ? (*norm)(out) : out;
}

}  // namespace weft::nn
