// layer_norm: rows brought to mean 0 and variance 1, then scaled and shifted.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft::nn {

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps,
                  Where where) {
  Ints axes;
  double count = 1;
  for (int64_t i = weight.defined() ? x.rank() - weight.rank() : x.rank() - 1; i < x.rank(); ++i) {
    axes.push_back(i);
    count *= static_cast<double>(x.dim(i).value());
  }
  const Tensor centred = x - sum(x, axes, true, where) / Tensor(count);
  const Tensor variance = sum(square(centred, where), axes, true, where) / Tensor(count);
  Tensor out = centred * rsqrt(variance + Tensor(eps), where);
  if (weight.defined()) out = out * weight;
  if (bias.defined()) out = out + bias;
  return out;
}

}  // namespace weft::nn
