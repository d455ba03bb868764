// Rprop: the scalars of its update.
#include "weft/optim/rprop.h"

#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {
namespace {

Tensor first_size(const Group& group, const Tensor& parameter) {
  return full(Shape(parameter.shape()), group.value("lr"), compute_of(parameter.dtype()));
}

}  // namespace

Rprop::Rprop(Parameters parameters, RpropOptions o)
    : FusedOptimizer({.name = "Rprop",
                      .options = {{"lr", o.lr},
                                  {"eta_minus", o.eta_minus, Range::kFraction},
                                  {"eta_plus", o.eta_plus, Range::kPositive},
                                  {"smallest", o.smallest},
                                  {"largest", o.largest}},
                      .slots = {{"before"}, {"size", first_size}},
                      .maximize = o.maximize},
                     parameters, kRpropUpdate) {}

Tensors Rprop::scalars(const Group& group) const {
  return {group["eta_minus"], group["eta_plus"], group["smallest"], group["largest"]};
}

}  // namespace weft::optim
