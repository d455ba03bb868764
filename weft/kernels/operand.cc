// The error for operands that are not in memory.
#include "weft/kernels/operand.h"

#include "weft/base/error.h"

namespace weft::kernels {

void fail_operand(const Tensor& tensor) {
  const Tracer& tracer = *static_cast<const Tracer*>(tensor.node());
  fail(Code::kType, "tensor", "concrete", "a tensor of type ", tensor.type(),
       " is not in memory here (it is ", tracer.type->describe(&tracer),
       "); compute with ops, or read it outside of the transformation");
}

}  // namespace weft::kernels
