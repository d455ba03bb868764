// The ops of recurrent/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/recurrent/recurrent.h"

namespace weft {

// clang-format off
static constexpr const OpDef* kOps[] = {
    &kRnnScan,
    &kGruScan,
    &kGruStep,
    &kLstmScan,
    &kLstmStep,
};
static constexpr const CompositeDef* kComposites[] = {
    &kRnnTanh,
    &kRnnRelu,
    &kGru,
    &kLstm,
    &kRnnTanhCell,
    &kRnnReluCell,
    &kGruCell,
    &kLstmCell,
};
// clang-format on
extern const Family kRecurrentFamily;
constinit const Family kRecurrentFamily{"recurrent", kOps, kComposites};

}  // namespace weft
