// embedding_bag with all its options, and what it is made of.
#pragma once

#include "weft/op/op.h"

namespace weft {

struct EmbeddingBagAttrs {
  std::string mode = "mean";
  std::optional<int64_t> padding_idx = {};
  static constexpr auto fields =
      fields_of(field("mode", &EmbeddingBagAttrs::mode, "`sum`, `mean` or `max`"),
                field("padding_idx", &EmbeddingBagAttrs::padding_idx, "a row that bags leave out"));
};

extern const OpDef kEmbeddingBagBags;

namespace nn {
// Offsets and weights may be undefined.
Tensor embedding_bag(const Tensor& indices, const Tensor& weight, const Tensor& offsets,
                     const Tensor& per_sample_weights, const EmbeddingBagAttrs& at,
                     Where where = Where::here());
}  // namespace nn

// The bag of each of `count` indices, where the bags begin at `offsets`; raises
// [embedding_bag.offsets].
Tensor bags_of(const Tensor& offsets, int64_t count);

}  // namespace weft
