// The ops of nn/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/nn/cdist_sums.h"
#include "weft/ops/nn/embedding_bag.h"
#include "weft/ops/nn/interpolate_axis.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/nn/to_channels_last.h"

namespace weft {

// clang-format off
static constexpr const OpDef* kOps[] = {
    &kRelu,
    &kGeluErf,
    &kGeluTanh,
    &kRelu6,
    &kLeakyRelu,
    &kElu,
    &kCelu,
    &kSelu,
    &kSilu,
    &kMish,
    &kHardsigmoid,
    &kHardswish,
    &kSoftplus,
    &kSoftsign,
    &kLogSigmoid,
    &kGluGate,
    &kSwigluGate,
    &kSoftmax,
    &kSoftmaxVjp,
    &kLogSoftmax,
    &kLogSoftmaxVjp,
    &kInterpolateAxis,
    &kCdistSquares,
    &kCdistPush,
    &kCdistPull,
    &kEmbeddingBagBags,
    &kConv,
    &kConvDw,
};
static constexpr const CompositeDef* kComposites[] = {
    &kToChannelsLast,
    &kGelu,
    &kPrelu,
    &kHardtanh,
    &kThreshold,
    &kGlu,
    &kSwiglu,
    &kLinear,
    &kEmbedding,
    &kEmbeddingBag,
    &kInterpolate,
    &kCdist,
    &kNormalize,
    &kConv1d,
    &kConv2d,
    &kConv3d,
    &kConvTranspose1d,
    &kConvTranspose2d,
    &kConvTranspose3d,
    &kCosineSimilarity,
};
// clang-format on
extern const Family kNnFamily;
constinit const Family kNnFamily{"nn", kOps, kComposites};

}  // namespace weft
