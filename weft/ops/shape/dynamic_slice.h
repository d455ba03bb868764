// dynamic_slice and dynamic_update_slice: windows of a fixed size at a computed position.
#pragma once

#include "weft/op/op.h"
#include "weft/ops/shape/index_at.h"

namespace weft {

// The window of x that begins at `starts`, one integer for each axis, and has the shape `sizes`:
//   dynamic_slice(x, inputs(row, 0), {1, 8})
// A negative start counts from the end of its axis. A window that would extend beyond x is moved
// inside.
Tensor dynamic_slice(const Tensor& x, TensorSpan starts, const Shape& sizes,
                     Where where = Where::here());
// A copy of x in which that window, of the shape of `update`, is `update`.
Tensor dynamic_update_slice(const Tensor& x, const Tensor& update, TensorSpan starts,
                            Where where = Where::here());

struct DynamicSliceAttrs {
  Shape sizes;
  static constexpr auto fields =
      fields_of(field("sizes", &DynamicSliceAttrs::sizes, "the shape of the window", kRequired));
};
extern const OpDef kDynamicSlice, kDynamicUpdateSlice;

// The window as one index tensor for each axis of x; together they broadcast to `sizes`, with a
// leading batch axis if a start is a vector.
Tensors window_indices(ShapeView x, TensorSpan starts, const Shape& sizes, Where where);
// The attributes of index_at and set_at for indices of axes 0 ... rank - 1.
IndexAtAttrs all_axes(int64_t rank);

}  // namespace weft
