// The ops of sort/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/sort/histogram.h"
#include "weft/ops/sort/nanmedian.h"
#include "weft/ops/sort/percentile.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kSort,
    &kArgsort,
    &kTopKIndices,
    &kSearchSorted,
};
static constexpr const CompositeDef* kComposites[] = {
    &kTopK,   &kSearchsorted, &kUniqueAll,  &kUniqueCounts, &kUniqueInverse, &kUniqueValues,
    &kMedian, &kQuantile,     &kPercentile, &kIsIn,         &kNanmedian,     &kHistogram,
};
extern const Family kSortFamily;
constinit const Family kSortFamily{"sort", kOps, kComposites};

}  // namespace weft
