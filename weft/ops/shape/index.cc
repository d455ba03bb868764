// The ops of shape/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kReshape, &kPermuteDims, &kExpandDims, &kSqueeze,     &kBroadcastTo, &kConcat,
    &kStack,   &kSplit,       &kSlice,      &kSliceUpdate, &kFlip,        &kPad,
    &kTake,    &kTakeVjp,     &kGather,     &kScatterAdd,  &kOneHot,      &kStopGradient,
};
extern const Family kShapeFamily;
constinit const Family kShapeFamily{"shape", kOps, {}};

}  // namespace weft
