// Tables of vectors, looked up by numbers. They begin as standard normal numbers, as in PyTorch;
// init::uniform() is Keras's choice.
#pragma once

#include "weft/nn/layer.h"

namespace weft::nn {

struct EmbeddingOptions {
  std::optional<int64_t> padding_idx = {};  // this row begins as 0 and stays as it is
  DType dtype = DType::kF32;
  Initializer weight_init = {};
  std::optional<random::Key> key = {};
};

// Row i of its weight [num_embeddings, embedding_dim] for each number i.
struct Embedding : Layer<Embedding> {
  Embedding(int64_t num_embeddings, int64_t embedding_dim, EmbeddingOptions options = {});

  int64_t num_embeddings, embedding_dim;
  mutable Variable weight;
  static constexpr auto fields = fields_of(field("weight", &Embedding::weight));

  Tensor forward(const Tensor& indices, Where where) const;
  std::string extra_repr() const override;
  std::vector<Wanted> wanted(int64_t size) const override;

 private:
  EmbeddingOptions options_;
};

struct EmbeddingBagOptions {
  std::string mode = "mean";                // or "sum", "max"
  std::optional<int64_t> padding_idx = {};  // this row begins as 0, and bags leave it out
  DType dtype = DType::kF32;
  Initializer weight_init = {};
  std::optional<random::Key> key = {};
};

// The sum, mean or maximum of the rows of each bag of numbers, without the rows in memory. Offsets
// and weights may be left out.
struct EmbeddingBag : Layer<EmbeddingBag> {
  EmbeddingBag(int64_t num_embeddings, int64_t embedding_dim, EmbeddingBagOptions options = {});

  int64_t num_embeddings, embedding_dim;
  mutable Variable weight;
  static constexpr auto fields = fields_of(field("weight", &EmbeddingBag::weight));

  Tensor operator()(const Tensor& indices, const Tensor& offsets = Tensor(),
                    const Tensor& per_sample_weights = Tensor(),
                    Where where = Where::here()) const {
    return passed(*this, indices, offsets, per_sample_weights, where);
  }
  Tensor forward(const Tensor& indices, const Tensor& offsets, const Tensor& per_sample_weights,
                 Where where) const;
  std::string extra_repr() const override;
  std::vector<Wanted> wanted(int64_t size) const override;

 private:
  EmbeddingBagOptions options_;
};

}  // namespace weft::nn
