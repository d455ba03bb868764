// The ops of this folder by name.
#include "weft/control/custom_call.h"
#include "weft/control/ops.h"
#include "weft/op/registry.h"
#include "weft/state/state.h"

namespace weft {

const OpDef& while_vjp_op();

void register_control_ops() {
  static const bool done = [] {
    register_state_ops();
    const OpDef* const ops[] = {&kCall,        &kCheckpointCall, &kCustomCall, &kSwitch,
                                &kSwitchLanes, &kWhile,          &kScan,       &while_vjp_op()};
    register_graph_ops(ops);
    return true;
  }();
  (void)done;
}

}  // namespace weft
