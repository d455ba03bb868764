// The ops of this folder by name.
#include "weft/op/registry.h"
#include "weft/state/number.h"
#include "weft/state/saving.h"
#include "weft/state/size_float.h"
#include "weft/state/state.h"

namespace weft {

void register_state_ops() {
  static constexpr const OpDef* kOps[] = {
      &kConstant,   &kPlaceholder, &kReadVariable, &kAssignVariable, &kIdentity,
      &kNoOp,       &kNextKey,     &kSizeValue,    &kSizeFloat,      &kNumber,
      &kAssertTrue, &kPrintValues, &kSaveTensors,  &kRestoreTensors};
  static const bool done = [] {
    register_graph_ops(kOps);
    return true;
  }();
  (void)done;
}

}  // namespace weft
