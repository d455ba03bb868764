// The ops of linalg/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/linalg/linalg.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kMatmul,
};
extern const Family kLinalgFamily;
constinit const Family kLinalgFamily{"linalg", kOps, {}};

}  // namespace weft
