// NAdam: its momentum grows, and the product of all so far corrects the bias.
#include "weft/optim/nadam.h"

#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {

NAdam::NAdam(Parameters parameters, NAdamOptions o)
    : FusedOptimizer({.name = "NAdam",
                      .options = {{"lr", o.lr},
                                  {"beta1", o.beta1, Range::kFraction},
                                  {"beta2", o.beta2, Range::kFraction},
                                  {"eps", o.eps},
                                  {"weight_decay", o.weight_decay},
                                  {"momentum_decay", o.momentum_decay}},
                      .slots = {{"mean"}, {"square"}},
                      .numbers = {{"product", 1}},
                      .maximize = o.maximize},
                     parameters, kNadamUpdate),
      is_decoupled_(o.decoupled_weight_decay) {}

Tensors NAdam::scalars(const Group& group) const {
  const Betas b(group);
  const Decay decay(group, is_decoupled_);
  const Tensor t = group.t(), lr = group["lr"], rate = group["momentum_decay"];
  const auto momentum_at = [&](const Tensor& step) {
    const Tensor slower = 1.0 - pow(Tensor::scalar(DType::kF64, 0.96), step * rate) * 0.5;
    return group["beta1"] * slower;
  };
  const Tensor mu = momentum_at(t), mu_next = momentum_at(t + 1.0);
  const Tensor product = group["product"] * mu;
  group.variable("product").assign(product);
  const Tensor left = 1.0 - product, left_next = 1.0 - product * mu_next;
  const Tensor ahead = lr * (1.0 - mu) / left, step = lr * mu_next / left_next;
  return {decay.keep, decay.add,           b.gain1,     b.beta2, b.gain2, ahead,
          step,       1.0 / sqrt(b.bias2), group["eps"]};
}

}  // namespace weft::optim
