// Adagrad: the scalars of its update.
#include "weft/optim/adagrad.h"

#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {
namespace {

Tensor initial_sum(const Group& group, const Tensor& parameter) {
  return full(Shape(parameter.shape()), group.value("initial_accumulator_value"),
              compute_of(parameter.dtype()));
}

}  // namespace

Adagrad::Adagrad(Parameters parameters, AdagradOptions o)
    : FusedOptimizer({.name = "Adagrad",
                      .options = {{"lr", o.lr},
                                  {"lr_decay", o.lr_decay},
                                  {"weight_decay", o.weight_decay},
                                  {"initial_accumulator_value", o.initial_accumulator_value},
                                  {"eps", o.eps}},
                      .slots = {{"sum", initial_sum}},
                      .maximize = o.maximize},
                     parameters, kAdagradUpdate) {}

Tensors Adagrad::scalars(const Group& group) const {
  const Tensor before = group.t() - 1.0, decay = group["lr_decay"];
  const Tensor divisor = before * decay + 1.0;
  const Tensor lr = group["lr"] / divisor;
  return {group["weight_decay"], lr, group["eps"]};
}

}  // namespace weft::optim
