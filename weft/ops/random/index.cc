// The ops of random/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/random/lognormal.h"
#include "weft/ops/random/random.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kUnitDraws,    &kNormalDraws,   &kIntDraws,       &kPermutation,    &kSplitKey,
    &kFoldIn,       &kTailDraws,     &kLoggammaDraws,  &kLoggammaSlope,  &kLoggammaCurvature,
    &kPoissonDraws, &kBinomialDraws, &kTruncatedDraws, &kOrthogonalRows,
};
static constexpr const CompositeDef* kComposites[] = {
    &kUniform,
    &kNormal,
    &kRandint,
    &kBernoulli,
    &kExponential,
    &kGumbel,
    &kLaplace,
    &kLogistic,
    &kCauchy,
    &kRademacher,
    &kGamma,
    &kBeta,
    &kDirichlet,
    &kPoisson,
    &kBinomial,
    &kCategorical,
    &kChoice,
    &kShuffle,
    &kTruncatedNormal,
    &kOrthogonal,
    &kVarianceScaling,
    &kGlorotUniform,
    &kGlorotNormal,
    &kHeUniform,
    &kHeNormal,
    &kLecunUniform,
    &kLecunNormal,
    &kLognormal,
    &kMultivariateNormal,
};
extern const Family kRandomFamily;
constinit const Family kRandomFamily{"random", kOps, kComposites};

}  // namespace weft
