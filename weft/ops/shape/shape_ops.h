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
// pad in a mode that has no value: reflect, symmetric, edge or wrap
Tensor pad_continued(const Tensor& x, const Ints& before, const Ints& after, std::string mode,
                     Where where = Where::here());
Tensor take(const Tensor& x, const Tensor& indices, int64_t axis, Where where = Where::here());
Tensor gather(const Tensor& x, const Tensor& indices, int64_t axis, Where where = Where::here());
Tensor scatter_add(const Tensor& x, const Tensor& indices, const Tensor& updates, int64_t axis,
                   Where where = Where::here());
Tensor one_hot(const Tensor& x, int64_t num_classes, DType dtype = DType::kF32,
               Where where = Where::here());

Tensor moveaxis(const Tensor& x, const Ints& source, const Ints& destination,
                Where where = Where::here());
Tensor swapaxes(const Tensor& x, int64_t axis1, int64_t axis2, Where where = Where::here());
Tensor roll(const Tensor& x, const Ints& shift, std::optional<Ints> axis = {},
            Where where = Where::here());
Tensor rot90(const Tensor& x, int64_t k = 1, const Ints& axes = {0, 1},
             Where where = Where::here());
Tensor tile(const Tensor& x, const Ints& repetitions, Where where = Where::here());
Tensor repeat(const Tensor& x, const Tensor& repeats, std::optional<int64_t> axis = {},
              Where where = Where::here());
Tensors unstack(const Tensor& x, int64_t axis = 0, Where where = Where::here());
Tensors broadcast_arrays(TensorSpan xs, Where where = Where::here());
Tensors meshgrid(TensorSpan xs, std::string indexing = "xy", Where where = Where::here());
Tensor atleast_1d(const Tensor& x, Where where = Where::here());
Tensor atleast_2d(const Tensor& x, Where where = Where::here());
Tensor atleast_3d(const Tensor& x, Where where = Where::here());
Tensor tril(const Tensor& x, int64_t k = 0, Where where = Where::here());
Tensor triu(const Tensor& x, int64_t k = 0, Where where = Where::here());
Tensor diag(const Tensor& x, int64_t k = 0, Where where = Where::here());
Tensor diag_embed(const Tensor& x, int64_t offset = 0, int64_t axis1 = -2, int64_t axis2 = -1,
                  Where where = Where::here());
Tensor einsum(std::string equation, TensorSpan xs, Where where = Where::here());

// Images: channels as a finer grid of pixels, and windows as columns (im2col)
namespace nn {
Tensor pixel_shuffle(const Tensor& x, int64_t factor, Where where = Where::here());
Tensor pixel_unshuffle(const Tensor& x, int64_t factor, Where where = Where::here());
Tensor depth_to_space(const Tensor& x, int64_t factor, Where where = Where::here());
Tensor space_to_depth(const Tensor& x, int64_t factor, Where where = Where::here());
// unfold.h has unfold and fold.
}  // namespace nn

// Reading and writing at indices; advanced_index.h has x[...] and x.at[...]
Tensor take_along_axis(const Tensor& x, const Tensor& indices, int64_t axis = -1,
                       Where where = Where::here());
Tensor put_along_axis(const Tensor& x, const Tensor& indices, const Tensor& values,
                      int64_t axis = -1, Where where = Where::here());
Tensor index_select(const Tensor& x, const Tensor& indices, int64_t axis,
                    Where where = Where::here());
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value,
                   Where where = Where::here());
Tensor masked_select(const Tensor& x, const Tensor& mask, Where where = Where::here());
Tensor gather_nd(const Tensor& x, const Tensor& indices, Where where = Where::here());
Tensor scatter_nd(const Tensor& updates, const Tensor& indices, const Shape& shape,
                  Where where = Where::here());
Tensor argwhere(const Tensor& x, Where where = Where::here());
Tensors nonzero(const Tensor& x, Where where = Where::here());

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
    kStopGradient, kIndexAt, kSetAt, kAddAt, kMultiplyAt, kChainAt, kMinAt, kMaxAt, kArgwhere;
extern const CompositeDef kMoveaxis, kSwapaxes, kRoll, kRot90, kTile, kRepeat, kUnstack,
    kBroadcastArrays, kMeshgrid, kAtleast1d, kAtleast2d, kAtleast3d, kTril, kTriu, kDiag,
    kDiagEmbed, kPixelShuffle, kPixelUnshuffle, kDepthToSpace, kSpaceToDepth, kUnfold, kFold,
    kEinsum, kTakeAlongAxis, kPutAlongAxis, kIndexSelect, kMaskedFill, kMaskedSelect, kGatherNd,
    kScatterNd, kNonzero;

}  // namespace weft
