// The gradient of ops that are constant between jumps: zero, whatever comes in (0 * inf would be
// NaN).
#pragma once

#include "weft/ops/math/math.h"

namespace weft {

inline Tensors zero_cotangents(const NoAttrs&, const GradCtx& cx, TensorSpan) {
  Tensors out;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    const Tensor& x = cx.inputs[i];
    out.push_back(cx.wanted[i] ? zeros(Shape(x.shape()), x.dtype(), cx.where) : Tensor());
  }
  return out;
}
inline Tensors zero_tangent(const NoAttrs&, const GradCtx& cx, TensorSpan) {
  const Tensor& out = cx.outputs[0];
  return {zeros(Shape(out.shape()), out.dtype(), cx.where)};
}

constexpr GradRule zero_gradient() {
  return derive::rules<zero_cotangents, zero_tangent>().reading(0, false);
}

}  // namespace weft
