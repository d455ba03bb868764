// The ops of reduce/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/reduce/cov.h"
#include "weft/ops/reduce/nan_free.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kSum,
    &kProd,
    &kMax,
    &kMin,
    &kAll,
    &kAny,
    &kArgmax,
    &kArgmin,
    &kCumulativeSumScan,
    &kCumulativeProdScan,
    &kLinearRecurrence,
    &kCheckValues,
    &kLogsumexpRows,
    &kLogsumexpVjp,
    &kNormRows,
    &kNansumNumbers,
    &kCumulativeExtremum,
    &kLogcumsumexp,
    &kSegmentSum,
    &kSegmentProd,
    &kSegmentMax,
    &kSegmentMin,
};
static constexpr const CompositeDef* kComposites[] = {
    &kMean,           &kVar,    &kStd,      &kLogsumexp,   &kNorm,     &kCumulativeSum,
    &kCumulativeProd, &kNansum, &kNanmean,  &kNanmax,      &kNanmin,   &kCountNonzero,
    &kDiff,           &kCummax, &kCummin,   &kSegmentMean, &kBincount, &kNanvar,
    &kNanstd,         &kCov,    &kCorrcoef,
};
extern const Family kReduceFamily;
constinit const Family kReduceFamily{"reduce", kOps, kComposites};

}  // namespace weft
