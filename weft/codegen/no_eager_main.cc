// The door's link-time symbols for programs that read the ops' definitions but cannot run them:
// kernelgen exists before there are kernels to run.
#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"

namespace weft {
namespace {

[[noreturn]] void fail_unable(const OpDef& op) {
  fail(Code::kInternal, op.name, "eager",
       "this program generates kernels and cannot run ops; link the library weft to run them");
}

}  // namespace

Tensors eager_compute(const OpDef& op, TensorSpan, const void*) { fail_unable(op); }
void store(const Tensor&, const Tensor&) {}
void eager_compute_into(const OpDef& op, TensorSpan, const void*, TensorSpan) { fail_unable(op); }
Tensor eager_fast(const OpDef& op, TensorSpan) { fail_unable(op); }
bool eager_backward_fast(const OpDef& op, TensorSpan, Tensors&, Tensor*) { fail_unable(op); }
Tensors eager_update(const OpDef& op, Tensors&) { fail_unable(op); }
bool eager_add_to(const Tensor&, const Tensor&) { return false; }

}  // namespace weft
