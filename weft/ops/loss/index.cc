// The ops of loss/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/loss/loss.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kClassLabels,
    &kCrossEntropyRows,
    &kCrossEntropyVjp,
    &kHuberEach,
};
static constexpr const CompositeDef* kComposites[] = {
    &kCrossEntropy,
    &kNllLoss,
    &kMseLoss,
    &kL1Loss,
    &kHuberLoss,
    &kSmoothL1Loss,
    &kBinaryCrossEntropy,
    &kBinaryCrossEntropyWithLogits,
    &kKlDiv,
    &kHingeLoss,
    &kMarginRankingLoss,
    &kTripletMarginLoss,
    &kCosineEmbeddingLoss,
    &kPoissonNllLoss,
    &kGaussianNllLoss,
};
extern const Family kLossFamily;
constinit const Family kLossFamily{"loss", kOps, kComposites};

}  // namespace weft
