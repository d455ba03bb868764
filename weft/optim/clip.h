// Clipping of gradients, and the norm of one or many tensors.
#pragma once

#include "weft/op/variable.h"

namespace weft::optim {

Tensor norm_of(const Tensor& x);  // the root of the sum of squares

// The norm of all of them as one vector, in the widest of their dtypes.
Tensor global_norm(TensorSpan tensors, Where where = Where::here());

// The tensors, all multiplied by max_norm / norm if their norm is above max_norm; and the norm they
// had. Works in graphs and functions.
struct ClippedByNorm {
  Tensors tensors;
  Tensor norm;
};
ClippedByNorm clip_by_global_norm(TensorSpan tensors, double max_norm, Where where = Where::here());
// Every element within [-limit, limit].
Tensors clip_by_value(TensorSpan tensors, double limit, Where where = Where::here());

// The same for the gradients that backward left in these Variables; those without one are passed
// over. Gives the norm they had.
Tensor clip_grad_norm(std::span<const Variable> parameters, double max_norm,
                      Where where = Where::here());
void clip_grad_value(std::span<const Variable> parameters, double limit,
                     Where where = Where::here());

}  // namespace weft::optim
