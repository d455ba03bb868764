// The ops of creation/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/creation/creation.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kZeros,
};
extern const Family kCreationFamily;
constinit const Family kCreationFamily{"creation", kOps, {}};

}  // namespace weft
