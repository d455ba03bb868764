// Adadelta: the scalars of its update.
#include "weft/optim/adadelta.h"

#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {

Adadelta::Adadelta(Parameters parameters, AdadeltaOptions o)
    : FusedOptimizer({.name = "Adadelta",
                      .options = {{"lr", o.lr},
                                  {"rho", o.rho, Range::kFraction},
                                  {"eps", o.eps},
                                  {"weight_decay", o.weight_decay}},
                      .slots = {{"square"}, {"moved"}},
                      .maximize = o.maximize},
                     parameters, kAdadeltaUpdate) {}

Tensors Adadelta::scalars(const Group& group) const {
  return {group["weight_decay"], group["rho"], 1.0 - group["rho"], group["lr"], group["eps"]};
}

}  // namespace weft::optim
