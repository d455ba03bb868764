// The ops of recurrent/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/recurrent/recurrent.h"

namespace weft {

// clang-format off
static constexpr const OpDef* kOps[] = {
    &kRnnScan,
    &kRnnScanVjp,
    &kRnnTanhStep,
    &kRnnReluStep,
    &kRnnStepVjp,
    &kGruScan,
    &kGruScanVjp,
    &kGruStep,
    &kGruStepVjp,
    &kLstmScan,
    &kLstmScanVjp,
    &kLstmStep,
    &kLstmStepVjp,
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
