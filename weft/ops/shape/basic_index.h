// Basic indexing: what x[1:3, ..., newaxis, 0] reads. Shared by slice and slice_update.
#pragma once

#include "weft/core/tensor.h"
#include "weft/op/attrs.h"
#include "weft/op/infer.h"
#include "weft/op/kernel.h"

namespace weft {

struct SliceAttrs {
  Index index;
  static constexpr auto fields = fields_of(field(
      "index", &SliceAttrs::index, "integers, ranges start:stop:step, newaxis and ...", kRequired));
};

// The shape of x[index]; raises the laws ellipsis, count, step and range.
Shape indexed_shape(const Index& index, const InferCtx& cx, ShapeView shape);

// Where the part of `x` lies that the index names.
ViewLayout indexed_view(const Index& index, const StridedLayout& x);

}  // namespace weft
