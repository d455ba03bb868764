// What nn.embedding_bag is made of.
#pragma once

#include "weft/op/op.h"

namespace weft {

extern const OpDef kEmbeddingBagBags;

// The bag of each of `count` indices, where the bags begin at `offsets`; raises
// [embedding_bag.offsets].
Tensor bags_of(const Tensor& offsets, int64_t count);

}  // namespace weft
