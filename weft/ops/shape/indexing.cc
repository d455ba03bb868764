// What ops that read or add at indices share.
#include "weft/ops/shape/indexing.h"

#include "weft/core/native.h"

namespace weft {

void require_index_dtype(const InferCtx& cx, DType dtype) {
  cx.require_type(dtype != DType::kU64, "index_dtype", "indices have dtype ", dtype,
                  ", which int64 does not hold; cast them first");
}

Tensor index_tensor(const Tensor& indices) {
  const DType dtype = indices.dtype();
  return dtype == DType::kI32 || dtype == DType::kI64 ? indices : cast(indices, DType::kI64);
}

Tensor packed(const Tensor& x) {
  if (x.is_contiguous()) return x;
  const Tensor out = Tensor::empty(x.dtype(), x.shape());
  native::copy(out, x);
  return out;
}

}  // namespace weft
