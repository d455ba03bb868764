// Lion: the scalars of its update.
#include "weft/optim/lion.h"

#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {

Lion::Lion(Parameters parameters, LionOptions o)
    : FusedOptimizer({.name = "Lion",
                      .options = {{"lr", o.lr},
                                  {"beta1", o.beta1, Range::kFraction},
                                  {"beta2", o.beta2, Range::kFraction},
                                  {"weight_decay", o.weight_decay}},
                      .slots = {{"mean"}},
                      .maximize = o.maximize},
                     parameters, kLionUpdate) {}

Tensors Lion::scalars(const Group& group) const {
  const Tensor beta2 = group["beta2"];
  return {Decay(group, true).keep, 1.0 - group["beta1"], beta2, 1.0 - beta2, group["lr"]};
}

}  // namespace weft::optim
