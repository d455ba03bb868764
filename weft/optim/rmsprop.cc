// RMSprop: which of four updates it is, and their scalars.
#include "weft/optim/rmsprop.h"

#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {
namespace {

const OpDef& op_of(const RMSpropOptions& o) {
  if (o.momentum != 0) return o.centered ? kRmspropCenteredMomentumUpdate : kRmspropMomentumUpdate;
  return o.centered ? kRmspropCenteredUpdate : kRmspropUpdate;
}

Form form_of(const RMSpropOptions& o) {
  Form form{.name = "RMSprop",
            .options = {{"lr", o.lr},
                        {"alpha", o.alpha, Range::kFraction},
                        {"eps", o.eps},
                        {"weight_decay", o.weight_decay}},
            .slots = {{"square"}}};
  form.maximize = o.maximize;
  if (o.centered) form.slots.push_back({"mean"});
  check_option("RMSprop", {"momentum", o.momentum});
  if (o.momentum != 0) {
    form.options.push_back({"momentum", o.momentum});
    form.slots.push_back({"buffer"});
  }
  return form;
}

}  // namespace

RMSprop::RMSprop(Parameters parameters, RMSpropOptions options)
    : FusedOptimizer(form_of(options), parameters, op_of(options)),
      has_momentum_(options.momentum != 0) {}

Tensors RMSprop::scalars(const Group& group) const {
  Tensors out = {group["weight_decay"], group["alpha"], 1.0 - group["alpha"], group["lr"],
                 group["eps"]};
  if (has_momentum_) out.push_back(group["momentum"]);
  return out;
}

}  // namespace weft::optim
