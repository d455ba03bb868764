// The ops of math/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/math/math.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kAdd, &kMultiply, &kLogAddExp, &kCast, &kExp, &kConj,
};
extern const Family kMathFamily;
constinit const Family kMathFamily{"math", kOps, {}};

}  // namespace weft
