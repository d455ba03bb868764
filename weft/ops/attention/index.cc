// The ops of attention/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/attention/attention.h"

namespace weft {

// clang-format off
static constexpr const OpDef* kOps[] = {
    &kFlash,
    &kFlashVjp,
};
static constexpr const CompositeDef* kComposites[] = {
    &kScaledDotProductAttention,
    &kMultiHeadAttention,
};
// clang-format on
extern const Family kAttentionFamily;
constinit const Family kAttentionFamily{"attention", kOps, kComposites};

}  // namespace weft
