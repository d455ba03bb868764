// The ops of pool/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/pool/pool.h"

namespace weft {

// clang-format off
static constexpr const OpDef* kOps[] = {
    &kPoolMax,
    &kPoolMean,
    &kPoolSpread,
};
static constexpr const CompositeDef* kComposites[] = {
    &kMaxPool1d,
    &kMaxPool2d,
    &kMaxPool3d,
    &kMaxPool1dWithIndices,
    &kMaxPool2dWithIndices,
    &kMaxPool3dWithIndices,
    &kAvgPool1d,
    &kAvgPool2d,
    &kAvgPool3d,
    &kAdaptiveAvgPool1d,
    &kAdaptiveAvgPool2d,
    &kAdaptiveAvgPool3d,
    &kAdaptiveMaxPool1d,
    &kAdaptiveMaxPool2d,
    &kAdaptiveMaxPool3d,
};
// clang-format on
extern const Family kPoolFamily;
constinit const Family kPoolFamily{"pool", kOps, kComposites};

}  // namespace weft
