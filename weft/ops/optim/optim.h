// The ops of optim/: updates of many tensors in one pass. weft/optim has the optimizers that use
// them.
#pragma once

#include "weft/op/op.h"

namespace weft {

extern const OpDef kSgdUpdate, kMomentumUpdate, kNesterovUpdate, kAdamUpdate, kAmsgradUpdate,
    kNadamUpdate, kRadamUpdate, kAdamaxUpdate, kAdagradUpdate, kAdadeltaUpdate, kRmspropUpdate,
    kRmspropMomentumUpdate, kRmspropCenteredUpdate, kRmspropCenteredMomentumUpdate, kLionUpdate,
    kRpropUpdate, kAsgdUpdate, kMomentsUpdate, kEmaUpdate;

}  // namespace weft
