// The functions of native::attention and native::attention_vjp.
#pragma once

#include "weft/core/native.h"

namespace weft::kernels {

void attention_tensor(const Tensor& out, const Tensor& greatest, const Tensor& total,
                      const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                      AttentionRule rule);
void attention_vjp_tensor(const Tensor& dq, const Tensor& dk, const Tensor& dv, const Tensor& q,
                          const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& g,
                          const Tensor& stats, AttentionRule rule);

}  // namespace weft::kernels
