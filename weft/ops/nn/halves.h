// The two halves of a tensor along an axis, as views: what glu and swiglu gate.
#pragma once

#include "weft/ops/shape/shape_ops.h"

namespace weft {

inline Tensors halves(const InferCtx& cx, const Tensor& x, int64_t axis) {
  cx.require_type(!is_complex(x.dtype()), "dtype", "x has dtype ", x.dtype(),
                  ", but must be floating; cast it first");
  const int64_t at = cx.axis(axis, x.shape());
  const Dim size = x.dim(at);
  cx.require(size.value() % 2 == 0, "even", "axis ", axis, " of shape ", x.shape(), " has size ",
             size, "; it must be even, to be halved");
  const int64_t half = size.value() / 2;
  return split(x, {half, half}, at);
}

}  // namespace weft
