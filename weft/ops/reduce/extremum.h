// What max and min share: inference, and gradients that ties share equally.
#pragma once

#include "weft/ops/reduce/reduce.h"

namespace weft {

Types extremum_infer(const ReduceAttrs& at, const InferCtx& cx, TypeSpan in);
Tensors extremum_vjp(const ReduceAttrs& at, const GradCtx& cx, TensorSpan g);
Tensors extremum_jvp(const ReduceAttrs& at, const GradCtx& cx, TensorSpan t);

}  // namespace weft
