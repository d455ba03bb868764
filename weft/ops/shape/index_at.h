// What index_at and the ops that update at indices share: which axes are indexed, and where the
// axes of the indices stand in the result.
#pragma once

#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/shape/indexing.h"

namespace weft {

struct IndexAtAttrs {
  Ints axes;
  int64_t at = 0;
  static constexpr auto fields = fields_of(
      field("axes", &IndexAtAttrs::axes, "the axis of `x` that each index is for", kRequired),
      field("at", &IndexAtAttrs::at,
            "how many of the other axes stand before those of the indices"));
};

// The axes of `x` in the order [those before the indices, indexed ones, those after].
struct IndexedAxes {
  Ints order;
  Shape around;          // the extents of the axes that are not indexed
  Shape joint;           // what the indices broadcast to
  Shape result;          // the shape of x[indices]
  bool in_order = true;  // `order` is 0, 1, 2, ...
};

// Raises the laws count, axis, axis_twice, at, index_dtype and broadcast.
IndexedAxes indexed_axes(const IndexAtAttrs& at, const InferCtx& cx, ShapeView x, TypeSpan indices);
// The same of values, which have been checked.
IndexedAxes indexed_axes(const IndexAtAttrs& at, const Tensor& x, TensorSpan indices);

Tensor index_at(const Tensor& x, TensorSpan indices, const IndexAtAttrs& at, Where where);
Tensor set_at(const Tensor& x, const Tensor& value, TensorSpan indices, const IndexAtAttrs& at,
              Where where);
Tensor add_at(const Tensor& x, const Tensor& value, TensorSpan indices, const IndexAtAttrs& at,
              Where where);
Tensor multiply_at(const Tensor& x, const Tensor& value, TensorSpan indices, const IndexAtAttrs& at,
                   Where where);
Tensor min_at(const Tensor& x, const Tensor& value, TensorSpan indices, const IndexAtAttrs& at,
              Where where);
Tensor max_at(const Tensor& x, const Tensor& value, TensorSpan indices, const IndexAtAttrs& at,
              Where where);

// The rules of an op that updates: inputs are x, value, indices...
Types update_infer(const IndexAtAttrs& at, const InferCtx& cx, TypeSpan in);
// A copy of a concrete x to update in place, its axes in the order of `axes`. It is made in `out`
// if that order is the one of x; store_in() then has nothing to do.
struct UpdatedPlaces {
  IndexedAxes axes;
  Tensors indices;  // as native kernels take them
  Ints numbers;     // the indexed axes, for errors
  Tensor work;
  UpdatedPlaces(const IndexAtAttrs& at, const Tensor& x, TensorSpan indices, const Tensor& out);
  void store_in(const Tensor& out) const;  // `work` with its axes in the order of x
};
void run_update(const IndexAtAttrs& at, TensorSpan in, const Tensor& out, Join join,
                const char* op);
// An update of a whole batch. With indices for each example the batch axis of what has the shape of
// the places is at attrs.at, else in front.
struct BatchedUpdate {
  bool each;  // the examples have indices of their own
  IndexAtAttrs attrs;
  Tensors inputs;
  BatchedUpdate(const IndexAtAttrs& at, const BatchCtx& cx, size_t first_index);
};
Tensors batched_update(const OpDef& op, const IndexAtAttrs& at, const BatchCtx& cx);
template <const OpDef& op>
Tensors batched_update_of(const IndexAtAttrs& at, const BatchCtx& cx) {
  return batched_update(op, at, cx);
}

// Indices under vmap: all with one rank and, if x is batched, one more for its batch axis.
Tensors batched_indices(const BatchCtx& cx, size_t first, bool with_examples);
bool any_batched(const BatchCtx& cx, size_t first);

}  // namespace weft
