// Adam and AdamW: the scalars of their update.
#include "weft/optim/adam.h"

#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {
namespace {

Form form_of(std::string name, const AdamOptions& o) {
  std::vector<Slot> slots = {{"mean"}, {"square"}};
  if (o.amsgrad) slots.push_back({"largest"});
  return {.name = std::move(name),
          .options = {{"lr", o.lr},
                      {"beta1", o.beta1, Range::kFraction},
                      {"beta2", o.beta2, Range::kFraction},
                      {"eps", o.eps},
                      {"weight_decay", o.weight_decay}},
          .slots = slots,
          .maximize = o.maximize};
}

}  // namespace

Adam::Adam(std::string name, Parameters parameters, AdamOptions options, bool is_decoupled)
    : FusedOptimizer(form_of(std::move(name), options), parameters,
                     options.amsgrad ? kAmsgradUpdate : kAdamUpdate),
      is_decoupled_(is_decoupled) {}

Adam::Adam(Parameters parameters, AdamOptions options)
    : Adam("Adam", std::move(parameters), options, false) {}

AdamW::AdamW(Parameters parameters, AdamWOptions o)
    : Adam("AdamW", std::move(parameters),
           {o.lr, o.beta1, o.beta2, o.eps, o.weight_decay, o.amsgrad, o.maximize}, true) {}

Tensors Adam::scalars(const Group& group) const {
  const Betas b(group);
  const Decay decay(group, is_decoupled_);
  return {decay.keep,          decay.add,   b.gain1, b.beta2, b.gain2, group["lr"] / b.bias1,
          1.0 / sqrt(b.bias2), group["eps"]};
}

}  // namespace weft::optim
