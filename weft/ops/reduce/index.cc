// The ops of reduce/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kSum,
};
extern const Family kReduceFamily;
constinit const Family kReduceFamily{"reduce", kOps, {}};

}  // namespace weft
