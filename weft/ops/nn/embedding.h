// What embedding and embedding_bag share.
#pragma once

#include "weft/op/infer.h"
#include "weft/op/op.h"

namespace weft {

// Where indices name the row `padding` of a table, by either of its two numbers; raises
// [op.padding_idx] if it is none.
Tensor names_padding(const InferCtx& cx, const Tensor& indices, Dim rows, int64_t padding);

}  // namespace weft
