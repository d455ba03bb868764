// The ops of creation/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/creation/tril_indices.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kZeros,
    &kArangeFloat,
    &kArangeInt,
    &kLinspaceFill,
};
static constexpr const CompositeDef* kComposites[] = {
    &kOnes,     &kEmpty,  &kFull,     &kZerosLike, &kOnesLike,    &kEmptyLike,
    &kFullLike, &kArange, &kLinspace, &kEye,       &kTrilIndices, &kTriuIndices,
};
extern const Family kCreationFamily;
constinit const Family kCreationFamily{"creation", kOps, kComposites};

}  // namespace weft
