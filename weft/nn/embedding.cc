// Embedding and EmbeddingBag.
#include "weft/nn/embedding.h"

#include "weft/nn/repr.h"
#include "weft/op/context.h"
#include "weft/ops/nn/embedding_bag.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/shape/advanced_index.h"

namespace weft::nn {
namespace {

// The row of padding begins as zeros.
Initializer table(const Initializer& given, std::optional<int64_t> padding) {
  const Initializer initializer = given ? given : init::normal(1.0);
  if (!padding) return initializer;
  return [=](const random::Key& key, const Shape& shape, DType dtype) {
    const Tensor whole = initializer(key, shape, dtype);
    return at(whole, {*padding}).set(0.0);
  };
}

}  // namespace

Embedding::Embedding(int64_t num_embeddings, int64_t embedding_dim, EmbeddingOptions options)
    : num_embeddings(num_embeddings), embedding_dim(embedding_dim), options_(std::move(options)) {
  begin(num_embeddings, options_.key, options_.dtype);
}

std::vector<Wanted> Embedding::wanted(int64_t size) const {
  return {{"weight", &weight, Shape{size, embedding_dim},
           table(options_.weight_init, options_.padding_idx)}};
}

Tensor Embedding::forward(const Tensor& indices, Where where) const {
  const CalledFrom line(where);
  return lowered(embedding(indices, weight.read(), options_.padding_idx, where));
}

std::string Embedding::extra_repr() const {
  return Words().item(num_embeddings).item(embedding_dim).text();
}

EmbeddingBag::EmbeddingBag(int64_t num_embeddings, int64_t embedding_dim,
                           EmbeddingBagOptions options)
    : num_embeddings(num_embeddings), embedding_dim(embedding_dim), options_(std::move(options)) {
  begin(num_embeddings, options_.key, options_.dtype);
}

std::vector<Wanted> EmbeddingBag::wanted(int64_t size) const {
  return {{"weight", &weight, Shape{size, embedding_dim},
           table(options_.weight_init, options_.padding_idx)}};
}

Tensor EmbeddingBag::forward(const Tensor& indices, const Tensor& offsets,
                             const Tensor& per_sample_weights, Where where) const {
  const CalledFrom line(where);
  const EmbeddingBagAttrs at{options_.mode, options_.padding_idx};
  return lowered(embedding_bag(indices, weight.read(), offsets, per_sample_weights, at, where));
}

std::string EmbeddingBag::extra_repr() const {
  return Words().item(num_embeddings).item(embedding_dim).add("mode", options_.mode).text();
}

}  // namespace weft::nn
