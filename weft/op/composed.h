// derive::composed: an op with one kernel, differentiated through a formula of ordinary ops.
//
//     Tensors formula(const Attrs& at, const GradCtx& cx, TensorSpan);
//     .grad = derive::composed<formula>(),
//
// The formula computes the outputs from cx.inputs, at cx.where.
// Where nobody differentiates, the formula is not computed. Where somebody does, values are the
// kernel's and derivatives, of any order and in both modes, the formula's.
#pragma once

#include "weft/op/grad.h"

namespace weft::derive {

template <auto Formula>
constexpr GradRule composed() {
  GradRule out(GradKind::kComposed);
  out.vjp = rule<Formula>();
  return out;
}

}  // namespace weft::derive
