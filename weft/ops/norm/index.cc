// The ops of norm/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/norm/norm.h"

namespace weft {

// clang-format off
static constexpr const OpDef* kOps[] = {
    &kLayerNormRows,
    &kLayerNormVjp,
    &kRmsNormRows,
    &kRmsNormVjp,
    &kBatchNormTrain,
    &kBatchNormVjp,
    &kBatchNormMoments,
    &kBatchNormScaled,
    &kBatchNormSums,
    &kBatchNormDx,
};
static constexpr const CompositeDef* kComposites[] = {
    &kLayerNorm,
    &kRmsNorm,
    &kGroupNorm,
    &kInstanceNorm,
    &kBatchNorm,
};
// clang-format on
extern const Family kNormFamily;
constinit const Family kNormFamily{"norm", kOps, kComposites};

}  // namespace weft
