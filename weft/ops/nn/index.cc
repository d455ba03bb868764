// The ops of nn/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/nn/nn.h"

namespace weft {

// clang-format off
static constexpr const OpDef* kOps[] = {
    &kRelu,
    &kGelu,
    &kSoftmax,
    &kSoftmaxVjp,
    &kLogSoftmax,
    &kLogSoftmaxVjp,
    &kLayerNormRows,
    &kLayerNormVjp,
};
static constexpr const CompositeDef* kComposites[] = {
    &kLayerNorm,
};
// clang-format on
extern const Family kNnFamily;
constinit const Family kNnFamily{"nn", kOps, kComposites};

}  // namespace weft
