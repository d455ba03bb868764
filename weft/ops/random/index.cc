// The ops of random/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/random/random.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kUnitDraws, &kNormalDraws, &kIntDraws, &kPermutation, &kSplitKey, &kFoldIn,
};
static constexpr const CompositeDef* kComposites[] = {
    &kUniform,
    &kNormal,
    &kRandint,
    &kBernoulli,
};
extern const Family kRandomFamily;
constinit const Family kRandomFamily{"random", kOps, kComposites};

}  // namespace weft
