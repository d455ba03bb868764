// MultiheadAttention.
#include "weft/nn/attention.h"

#include <cmath>
#include <limits>

#include "weft/base/error.h"
#include "weft/nn/repr.h"
#include "weft/op/context.h"
#include "weft/ops/attention/attention.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/dropout/dropout.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/advanced_index.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::nn {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

int64_t divided(int64_t features, int64_t heads) {
  if (heads <= 0 || features % heads != 0) {
    fail(Code::kInvalid, "MultiheadAttention", "heads", features, " features do not divide into ",
         heads, " heads");
  }
  return features;
}

// Those of the last projection, whose key is made of this layer's, drawn here if none was given.
LinearOptions last_options(AttentionOptions& options) {
  const EagerScope now;
  if (!options.key) options.key = random::drawn_now();
  return {.bias = options.bias,
          .dtype = options.dtype,
          .bias_init = init::zeros,
          .key = options.key->fold_in(1)};
}

// A mask of numbers that are added.
Tensor as_scores(const Tensor& mask) {
  return mask.dtype() == DType::kBool ? weft::where(mask, 0.0, kNever) : mask;
}

// One mask of both, that broadcasts to [batch, heads, queries, keys].
Tensor joined(const AttentionMasks& masks) {
  if (!masks.key_mask.defined()) return masks.mask;
  const Tensor keys = index(masks.key_mask, {Range{}, kNewAxis, kNewAxis, Range{}});
  if (!masks.mask.defined()) return keys;
  if (masks.mask.dtype() == DType::kBool && keys.dtype() == DType::kBool) {
    return logical_and(masks.mask, keys);
  }
  const Tensor scores = as_scores(masks.mask), key_scores = as_scores(keys);
  return scores + key_scores;
}

// A query that sees no key attends to nothing, as in attention without weights.
Tensor weights_of(const Tensor& scores, const Tensor& mask) {
  if (!mask.defined()) return softmax(scores, -1);
  const Tensor is_blind = max(scores, Ints{-1}, /*keepdims=*/true) == kNever;
  const Tensor seen = softmax(weft::where(is_blind, 0.0, scores), -1);
  return weft::where(is_blind, 0.0, seen);
}

// Part k of `count` equal ones of the last axis, or of the first.
Tensor part_of_last(const Tensor& x, int64_t k, int64_t size) {
  return index(x, {kEllipsis, Range{k * size, (k + 1) * size}});
}
Tensor part_of_first(const Tensor& x, int64_t k, int64_t size) {
  return x.defined() ? index(x, {Range{k * size, (k + 1) * size}}) : x;
}

}  // namespace

MultiheadAttention::MultiheadAttention(int64_t embed_dim, int64_t num_heads,
                                       AttentionOptions options)
    : embed_dim(divided(embed_dim, num_heads)),
      num_heads(num_heads),
      out_proj(embed_dim, embed_dim, last_options(options)),
      options_(std::move(options)) {
  begin(embed_dim, options_.key, options_.dtype);
}

bool MultiheadAttention::is_joined() const {
  return options_.kdim.value_or(embed_dim) == embed_dim &&
         options_.vdim.value_or(embed_dim) == embed_dim;
}

std::vector<Wanted> MultiheadAttention::wanted(int64_t size) const {
  const Initializer glorot = init::glorot_uniform;
  const std::optional<Shape> bias = options_.bias ? std::optional(Shape{3 * size}) : std::nullopt;
  const Wanted last{"in_proj_bias", &in_proj_bias, bias, init::zeros};
  if (is_joined()) {
    return {{"in_proj_weight", &in_proj_weight, Shape{3 * size, size}, glorot}, last};
  }
  return {{"q_proj_weight", &q_proj_weight, Shape{size, size}, glorot},
          {"k_proj_weight", &k_proj_weight, Shape{size, options_.kdim.value_or(size)}, glorot},
          {"v_proj_weight", &v_proj_weight, Shape{size, options_.vdim.value_or(size)}, glorot},
          last};
}

// Query, key and value, each [batch, time, features].
Tensors MultiheadAttention::projected(const Tensor& query, const Tensor& key,
                                      const Tensor& value) const {
  const int64_t size = embed_dim;
  const Tensor bias = read(in_proj_bias), all = read(in_proj_weight);
  Tensors out;
  if (is_joined() && query.node() == key.node() && key.node() == value.node()) {
    const Tensor in = lowered(query), by = lowered(all), plus = lowered(bias);
    const Tensor three = linear(in, by, plus);
    for (int64_t k = 0; k < 3; ++k) out.push_back(part_of_last(three, k, size));
    return out;
  }
  const Variable* const own[] = {&q_proj_weight, &k_proj_weight, &v_proj_weight};
  const Tensor* const given[] = {&query, &key, &value};
  Tensors weights, biases;
  for (int64_t k = 0; k < 3; ++k) {
    weights.push_back(is_joined() ? part_of_first(all, k, size) : own[k]->read());
  }
  for (int64_t k = 0; k < 3; ++k) biases.push_back(part_of_first(bias, k, size));
  for (size_t k = 0; k < 3; ++k) {
    const Tensor in = lowered(*given[k]), by = lowered(weights[k]), plus = lowered(biases[k]);
    out.push_back(linear(in, by, plus));
  }
  return out;
}

std::pair<Tensor, Tensor> MultiheadAttention::attended(Tensor query, Tensor key, Tensor value,
                                                       const AttentionMasks& masks,
                                                       bool need_weights) const {
  if (!options_.batch_first) {
    const bool is_one = query.node() == key.node() && key.node() == value.node();
    query = swapaxes(query, 0, 1);
    key = is_one ? query : swapaxes(key, 0, 1);
    value = is_one ? query : swapaxes(value, 0, 1);
  }
  Tensors heads = projected(query, key, value);
  for (Tensor& x : heads) {  // [batch, heads, time, features of a head]
    Shape shape(x.shape());
    shape.back() = num_heads;
    shape.push_back(embed_dim / num_heads);
    x = swapaxes(reshape(x, shape), -2, -3);
  }
  const Tensor mask = joined(masks);
  const double drops = training ? options_.dropout : 0;
  Tensor out, weights;
  if (need_weights) {
    std::tie(out, weights) = written_out(heads, mask, masks.is_causal, drops);
  } else {
    const Tensor words = drops > 0 ? random::next_key().words() : Tensor();
    out = scaled_dot_product_attention(heads[0], heads[1], heads[2], mask, words,
                                       {.is_causal = masks.is_causal, .dropout_p = drops});
  }
  Shape shape(query.shape());
  shape.back() = embed_dim;
  out = out_proj(reshape(swapaxes(out, -2, -3), shape));
  return {options_.batch_first ? out : swapaxes(out, 0, 1), weights};
}

// The formula written out, for those who want to see the weights.
std::pair<Tensor, Tensor> MultiheadAttention::written_out(const Tensors& heads, const Tensor& mask,
                                                          bool is_causal, double drops) const {
  const Tensor &q = heads[0], &k = heads[1], &v = heads[2];
  const double scale = std::pow(static_cast<double>(embed_dim / num_heads), -0.5);
  Tensor scores = matmul(q, swapaxes(k, -1, -2)) * scale;
  if (is_causal) {
    const Tensor rows = arange(q.dim(-2).value()), columns = arange(k.dim(-2).value());
    const Tensor is_seen = greater_equal(expand_dims(rows, 1), columns);
    scores = weft::where(is_seen, scores, kNever);
  }
  if (mask.defined()) {
    scores = mask.dtype() == DType::kBool ? weft::where(mask, scores, kNever) : scores + mask;
  }
  const Tensor weights = weights_of(scores, mask);
  const Tensor used = drops > 0 ? nn::dropout(random::next_key().words(), weights, drops) : weights;
  const Tensor out = matmul(used, v);
  return {out, mean(weights, Ints{-3})};
}

Tensor MultiheadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const AttentionMasks& masks, Where where) const {
  const CalledFrom line(where);
  return attended(query, key, value, masks, /*need_weights=*/false).first;
}

std::pair<Tensor, Tensor> MultiheadAttention::with_weights(const Tensor& query, const Tensor& key,
                                                           const Tensor& value,
                                                           const AttentionMasks& masks,
                                                           Where where) const {
  const CalledFrom line(where);
  const auto call = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
    return attended(q, k, v, masks, /*need_weights=*/true);
  };
  return hooks().empty() ? call(query, key, value) : detail::hooked(*this, call, query, key, value);
}

std::string MultiheadAttention::extra_repr() const {
  return Words().item(embed_dim).item(num_heads).text();
}

}  // namespace weft::nn
