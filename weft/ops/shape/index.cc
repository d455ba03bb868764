// The ops of shape/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/shape/arrange.h"
#include "weft/ops/shape/dynamic_slice.h"
#include "weft/ops/shape/matrix_transpose.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

// clang-format off
static constexpr const OpDef* kOps[] = {
    &kReshape, &kPermuteDims, &kExpandDims, &kSqueeze, &kBroadcastTo,
    &kConcat, &kStack, &kSplit,
    &kSlice, &kSliceUpdate, &kDynamicSlice, &kDynamicUpdateSlice, &kFlip, &kPad,
    &kTake, &kTakeVjp, &kGather, &kScatterAdd, &kOneHot, &kStopGradient,
    &kIndexAt, &kSetAt, &kAddAt, &kMultiplyAt, &kChainAt, &kMinAt, &kMaxAt, &kArgwhere,
    &kRepeatSources,
};
static constexpr const CompositeDef* kComposites[] = {
    &kMoveaxis, &kSwapaxes, &kMatrixTranspose, &kRoll, &kRot90, &kTile, &kRepeat, &kUnstack, &kBroadcastArrays,
    &kMeshgrid, &kAtleast1d, &kAtleast2d, &kAtleast3d, &kTril, &kTriu, &kDiag, &kDiagEmbed,
    &kPixelShuffle, &kPixelUnshuffle, &kDepthToSpace, &kSpaceToDepth, &kUnfold, &kFold, &kEinsum,
    &kTakeAlongAxis, &kPutAlongAxis, &kIndexSelect, &kMaskedFill, &kMaskedSelect, &kGatherNd,
    &kScatterNd, &kNonzero,
    &kFlatten, &kRavel, &kVstack, &kHstack, &kChunk,
};
// clang-format on
extern const Family kShapeFamily;
constinit const Family kShapeFamily{"shape", kOps, kComposites};

}  // namespace weft
