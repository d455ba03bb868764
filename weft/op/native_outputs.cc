// Outputs of native kernels: memory in the dtype that is computed in, and one value for all
// elements.
#include "weft/op/native_outputs.h"

#include "weft/core/native.h"

namespace weft {

Tensor output_in(DType dtype, const Tensor& out) {
  return out.dtype() == dtype ? out : Tensor::empty(dtype, out.shape());
}

void fill(const Tensor& out, double value) {
  native::fill(out, Tensor::scalar(out.dtype(), value).data());
}

}  // namespace weft
