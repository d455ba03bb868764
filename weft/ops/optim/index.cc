// The ops of optim/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/optim/optim.h"

namespace weft {

// clang-format off
static constexpr const OpDef* kOps[] = {
    &kSgdUpdate,
    &kMomentumUpdate,
    &kNesterovUpdate,
    &kAdamUpdate,
    &kAmsgradUpdate,
    &kNadamUpdate,
    &kRadamUpdate,
    &kAdamaxUpdate,
    &kAdagradUpdate,
    &kAdadeltaUpdate,
    &kRmspropUpdate,
    &kRmspropMomentumUpdate,
    &kRmspropCenteredUpdate,
    &kRmspropCenteredMomentumUpdate,
    &kLionUpdate,
    &kRpropUpdate,
    &kAsgdUpdate,
    &kMomentsUpdate,
    &kEmaUpdate,
};
// clang-format on
extern const Family kOptimFamily;
constinit const Family kOptimFamily{"optim", kOps, {}};

}  // namespace weft
