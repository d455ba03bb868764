// The ops of dropout/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/dropout/dropout.h"

namespace weft {

// clang-format off
static constexpr const CompositeDef* kComposites[] = {
    &kDropout,
    &kDropout1d,
    &kDropout2d,
    &kDropout3d,
    &kAlphaDropout,
};
// clang-format on
extern const Family kDropoutFamily;
constinit const Family kDropoutFamily{"dropout", {}, kComposites};

}  // namespace weft
