// The ops of nn/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/nn/nn.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kRelu, &kGelu, &kSoftmax, &kSoftmaxVjp, &kLogSoftmax, &kLogSoftmaxVjp,
};
extern const Family kNnFamily;
constinit const Family kNnFamily{"nn", kOps, {}};

}  // namespace weft
