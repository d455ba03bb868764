// RAdam: how long the average of squares is decides about the step.
#include "weft/optim/radam.h"

#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {

RAdam::RAdam(Parameters parameters, RAdamOptions o)
    : FusedOptimizer({.name = "RAdam",
                      .options = {{"lr", o.lr},
                                  {"beta1", o.beta1, Range::kFraction},
                                  {"beta2", o.beta2, Range::kFraction},
                                  {"eps", o.eps},
                                  {"weight_decay", o.weight_decay}},
                      .slots = {{"mean"}, {"square"}},
                      .maximize = o.maximize},
                     parameters, kRadamUpdate),
      is_decoupled_(o.decoupled_weight_decay) {}

Tensors RAdam::scalars(const Group& group) const {
  const Betas b(group);
  const Decay decay(group, is_decoupled_);
  const Tensor t = group.t(), zero = Tensor::scalar(DType::kF64, 0);
  const Tensor longest = 2.0 / b.gain2 - 1.0;
  const Tensor fading = pow(b.beta2, t);
  const Tensor length = longest - 2.0 * t * fading / b.bias2;
  const Tensor is_certain = length > 5.0;
  // Where it is not certain, the root is of a number that is not used.
  const Tensor safe = where(is_certain, length, Tensor::scalar(DType::kF64, 6));
  const auto weight = [](const Tensor& x) {
    const Tensor more = x - 2.0;
    return (x - 4.0) * more;
  };
  const Tensor now_weight = weight(safe) * longest, full_weight = weight(longest) * safe;
  const Tensor rectified = sqrt(now_weight / full_weight), root = sqrt(b.bias2);
  const Tensor step = group["lr"] / b.bias1, adaptive = step * rectified * root;
  return {decay.keep,
          decay.add,
          b.gain1,
          b.beta2,
          b.gain2,
          where(is_certain, zero, step),
          where(is_certain, adaptive, zero),
          group["eps"]};
}

}  // namespace weft::optim
