// How row kernels whose first input has the shape of the rows take a batch: it gets the batch axis
// in any case, the others where they have it, behind it axes of size 1 up to the rank of the rows.
#pragma once

#include "weft/op/apply.h"

namespace weft {

template <const OpDef& Op>
Tensors rows_batched(const NoAttrs& at, const BatchCtx& cx) {
  Tensors in{cx.with_batch_axis(0)};
  const int64_t rank = in[0].rank();
  for (size_t i = 1; i < cx.inputs.size(); ++i) {
    const Tensor& x = cx.inputs[i];
    if (!cx.batched[i] || x.rank() == rank) {
      in.push_back(x);
      continue;
    }
    Shape shape{cx.size};
    for (int64_t d = x.rank(); d < rank; ++d) shape.push_back(1);
    for (const Dim dim : x.shape().subspan(1)) shape.push_back(dim);
    in.push_back(reshape(x, shape, cx.where));
  }
  return apply_all(Op, in, at, cx.where);
}

}  // namespace weft
