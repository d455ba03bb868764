// Sums over the differences of two sets of points, made of the differences themselves: the sum of
// |a|^2 and |b|^2 less 2 ab would lose the distance of points that are close.
#pragma once

#include "weft/core/tensor.h"

namespace weft::kernels {

// Contiguous tensors a [batch, n, coordinates] and b [batch, m, coordinates] of one floating dtype;
// f16 and bf16 are summed in f32 and rounded once.

// out[i, j] = sum over k of u[i, k] (a[i, k] - b[j, k]); without `u` of the squares of the
// differences. In eight chains of fma, by k modulo 8, which are added in one order.
void sum_differences(const Tensor& out, const Tensor& u, const Tensor& a, const Tensor& b);

// out[i, k] = sum over j, ascending, of w[i, j] (a[i, k] - b[j, k]); a w of 0 adds nothing.
void weigh_differences(const Tensor& out, const Tensor& w, const Tensor& a, const Tensor& b);

}  // namespace weft::kernels
