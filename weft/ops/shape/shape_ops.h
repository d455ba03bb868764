// Ops that move elements without computing: one line per op; each op's documentation is in its
// file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// reshape, broadcast_to and stack are in op/builtin.h
Tensor permute_dims(const Tensor& x, const Ints& axes, Where where = Where::here());
Tensor expand_dims(const Tensor& x, int64_t axis, Where where = Where::here());
Tensor squeeze(const Tensor& x, const Ints& axis, Where where = Where::here());
Tensor concat(TensorSpan xs, int64_t axis = 0, Where where = Where::here());
Tensors split(const Tensor& x, const Ints& sizes, int64_t axis = 0, Where where = Where::here());
Tensor slice(const Tensor& x, const Index& index, Where where = Where::here());  // x[1:3, ..., 0]
Tensor slice_update(const Tensor& x, const Tensor& value, const Index& index,
                    Where where = Where::here());  // x.at[...].set
Tensor flip(const Tensor& x, std::optional<Ints> axis = {}, Where where = Where::here());
Tensor pad(const Tensor& x, const Ints& before, const Ints& after, const Tensor& value = 0.0,
           Where where = Where::here());
Tensor take(const Tensor& x, const Tensor& indices, int64_t axis, Where where = Where::here());
Tensor gather(const Tensor& x, const Tensor& indices, int64_t axis, Where where = Where::here());
Tensor scatter_add(const Tensor& x, const Tensor& indices, const Tensor& updates, int64_t axis,
                   Where where = Where::here());
Tensor one_hot(const Tensor& x, int64_t num_classes, DType dtype = DType::kF32,
               Where where = Where::here());

// The same value, at which gradients end.
Tensor stop_gradient(const Tensor& x, Where where = Where::here());

// Each axis of `x` where `axes` says: out axis i is axes[i] of x. Of concrete tensors, as a view.
Tensor permuted_view(const Tensor& x, const Ints& axes);
// `x` itself, or its elements copied into row-major order.
Tensor packed(const Tensor& x);
// Indices as native kernels take them: int32 or int64.
Tensor index_tensor(const Tensor& indices);

struct ShapeAttrs {
  Shape shape;
  static constexpr auto fields =
      fields_of(field("shape", &ShapeAttrs::shape, "the new shape", kRequired));
};

// One axis to work along.
struct AlongAxisAttrs {
  int64_t axis = 0;
  static constexpr auto fields =
      fields_of(field("axis", &AlongAxisAttrs::axis, "the axis to work along", kRequired));
};

extern const OpDef kReshape, kBroadcastTo, kStack, kSlice, kSliceUpdate, kPermuteDims, kExpandDims,
    kSqueeze, kConcat, kSplit, kFlip, kPad, kTake, kTakeVjp, kGather, kScatterAdd, kOneHot,
    kStopGradient;

}  // namespace weft
