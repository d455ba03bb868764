// Pooling over windows of [batch, space.., channels]: the functions of core/native.h.
#pragma once

#include "weft/core/native.h"

namespace weft::kernels {

void window_max(const Tensor& out, const Tensor& indices, const Tensor& x, const Windows& windows);
void window_mean(const Tensor& out, const Tensor& x, const Windows& windows,
                 const Tensor& divisors);
void window_spread(const Tensor& out, const Tensor& g, const Windows& windows,
                   const Tensor& divisors);

}  // namespace weft::kernels
