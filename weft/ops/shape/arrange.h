// Shapes that have names of their own: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

Tensor flatten(const Tensor& x, int64_t start_axis = 0, int64_t end_axis = -1,
               Where where = Where::here());
Tensor ravel(const Tensor& x, Where where = Where::here());
Tensor vstack(TensorSpan xs, Where where = Where::here());
Tensor hstack(TensorSpan xs, Where where = Where::here());
Tensors chunk(const Tensor& x, int64_t chunks, int64_t axis = 0, Where where = Where::here());

extern const OpDef kRepeatSources;  // a part of repeat
extern const CompositeDef kFlatten, kRavel, kVstack, kHstack, kChunk;

}  // namespace weft
