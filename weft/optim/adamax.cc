// Adamax: the scalars of its update.
#include "weft/optim/adamax.h"

#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {

Adamax::Adamax(Parameters parameters, AdamaxOptions o)
    : FusedOptimizer({.name = "Adamax",
                      .options = {{"lr", o.lr},
                                  {"beta1", o.beta1, Range::kFraction},
                                  {"beta2", o.beta2, Range::kFraction},
                                  {"eps", o.eps},
                                  {"weight_decay", o.weight_decay}},
                      .slots = {{"mean"}, {"largest"}},
                      .maximize = o.maximize},
                     parameters, kAdamaxUpdate) {}

Tensors Adamax::scalars(const Group& group) const {
  const Betas b(group);
  return {group["weight_decay"], b.gain1, b.beta2, group["lr"] / b.bias1, group["eps"]};
}

}  // namespace weft::optim
