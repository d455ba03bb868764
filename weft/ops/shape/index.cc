// The ops of shape/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kReshape, &kBroadcastTo, &kStack, &kSlice, &kSliceUpdate,
};
extern const Family kShapeFamily;
constinit const Family kShapeFamily{"shape", kOps, {}};

}  // namespace weft
