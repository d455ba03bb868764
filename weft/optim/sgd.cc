// SGD: which of three updates it is, and their scalars.
#include "weft/optim/sgd.h"

#include "weft/base/error.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {
namespace {

bool has_momentum(const Parameters& parameters, const SGDOptions& options) {
  bool out = options.momentum != 0;
  for (const ParamGroup& group : parameters.groups) {
    for (const Option& own : group.options) out = out || (own.name == "momentum" && own.value != 0);
  }
  return out;
}

const OpDef& op_of(bool has_momentum, bool nesterov) {
  if (!has_momentum) return kSgdUpdate;
  return nesterov ? kNesterovUpdate : kMomentumUpdate;
}

Form form_of(bool has_momentum, const SGDOptions& o) {
  if (o.nesterov && (!(o.momentum > 0) || o.dampening != 0)) {
    fail(Code::kInvalid, "SGD", "nesterov",
         "needs a momentum above 0 and no dampening, but they are ", o.momentum, " and ",
         o.dampening);
  }
  Form form{.name = "SGD", .options = {{"lr", o.lr}, {"weight_decay", o.weight_decay}}};
  form.maximize = o.maximize;
  if (!has_momentum) {
    check_option("SGD", {"momentum", o.momentum});
    return form;
  }
  form.options.push_back({"momentum", o.momentum});
  form.options.push_back({"dampening", o.dampening, Range::kAny});
  form.slots = {{"buffer"}};
  return form;
}

}  // namespace

SGD::SGD(Parameters parameters, SGDOptions options)
    : FusedOptimizer(form_of(has_momentum(parameters, options), options), parameters,
                     op_of(has_momentum(parameters, options), options.nesterov)),
      has_momentum_(has_momentum(parameters, options)) {}

Tensors SGD::scalars(const Group& group) const {
  if (!has_momentum_) return {group["lr"], group["weight_decay"]};
  // The first buffer is the gradient.
  const Tensor is_first = group.t() == 1.0, later = 1.0 - group["dampening"];
  const Tensor gain = where(is_first, Tensor::scalar(DType::kF64, 1), later);
  return {group["lr"], group["weight_decay"], group["momentum"], gain};
}

}  // namespace weft::optim
