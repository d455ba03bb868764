// SGD with momentum (Sutskever et al. 2013), Nesterov's variant and weight decay.
#include "weft/optim/sgd.h"

#include "weft/base/error.h"
#include "weft/ops/math/operators.h"

namespace weft::optim {

SGD::SGD(std::vector<Variable> parameters, SGDOptions options)
    : Optimizer(std::move(parameters)), options(options), buffers_(this->parameters().size()) {
  check_not_negative("SGD", "lr", options.lr);
  check_not_negative("SGD", "momentum", options.momentum);
  check_not_negative("SGD", "weight_decay", options.weight_decay);
  if (options.nesterov && !(options.momentum > 0)) {
    fail(Code::kInvalid, "SGD", "nesterov", "needs a momentum above 0, but it is ",
         options.momentum);
  }
}

Tensor SGD::updated(size_t i, const Tensor& value, const Tensor& gradient) {
  Tensor direction = options.weight_decay != 0 ? gradient + value * options.weight_decay : gradient;
  if (options.momentum != 0) {
    Tensor& buffer = buffers_[i];
    buffer = buffer.defined() ? buffer * options.momentum + direction : direction;
    direction = options.nesterov ? direction + buffer * options.momentum : buffer;
  }
  return value - direction * options.lr;
}

}  // namespace weft::optim
