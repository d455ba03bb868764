// ASGD: the scalars of its update.
#include "weft/optim/asgd.h"

#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {

ASGD::ASGD(Parameters parameters, ASGDOptions o)
    : FusedOptimizer({.name = "ASGD",
                      .options = {{"lr", o.lr},
                                  {"lambd", o.lambd},
                                  {"alpha", o.alpha},
                                  {"t0", o.t0},
                                  {"weight_decay", o.weight_decay}},
                      .slots = {{"average"}},
                      .maximize = o.maximize},
                     parameters, kAsgdUpdate) {}

Tensors ASGD::scalars(const Group& group) const {
  const Tensor lr = group["lr"], lambd = group["lambd"], before = group.t() - 1.0;
  const Tensor alpha = group["alpha"];
  const Tensor eta = lr / pow(lambd * lr * before + 1.0, alpha);
  const Tensor since = before - group["t0"];
  const Tensor mu = 1.0 / maximum(since, Tensor::scalar(DType::kF64, 1));
  return {group["weight_decay"], 1.0 - lambd * eta, eta, mu};
}

}  // namespace weft::optim
