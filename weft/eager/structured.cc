// Reductions, row kernels and scans: attributes to drivers.
#include "weft/eager/structured.h"

#include "weft/base/error.h"

namespace weft {

Tensors run_reduction(const OpDef& op, const Tensor&, const void*, const Type&) {
  fail(Code::kMissing, op.name, "kernel", "reductions are not bound yet");
}
Tensors run_rows(const OpDef& op, TensorSpan, const void*, TypeSpan) {
  fail(Code::kMissing, op.name, "kernel", "row kernels are not bound yet");
}
Tensors run_scan(const OpDef& op, const Tensor&, const void*, const Type&) {
  fail(Code::kMissing, op.name, "kernel", "scans are not bound yet");
}

}  // namespace weft
