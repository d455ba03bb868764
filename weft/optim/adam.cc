// Adam: moments of the gradient, their bias corrected.
#include "weft/optim/adam.h"

#include <cmath>

#include "weft/base/error.h"
#include "weft/ops/math/operators.h"

namespace weft::optim {

Adam::Adam(std::vector<Variable> parameters, AdamOptions options)
    : Optimizer(std::move(parameters)),
      options(options),
      means_(this->parameters().size()),
      squares_(this->parameters().size()) {
  for (const Variable& parameter : this->parameters()) {
    if (!is_complex(parameter.dtype())) continue;
    fail(Code::kType, "Adam", "complex", "parameter '", parameter.name(), "' has dtype ",
         parameter.dtype(),
         ", whose squares are no sizes; hold its real and imaginary parts in two "
         "Variables");
  }
  check_not_negative("Adam", "lr", options.lr);
  check_not_negative("Adam", "eps", options.eps);
  check_not_negative("Adam", "weight_decay", options.weight_decay);
  const bool betas_fit =
      options.beta1 >= 0 && options.beta1 < 1 && options.beta2 >= 0 && options.beta2 < 1;
  if (!betas_fit) {
    fail(Code::kInvalid, "Adam", "betas", "betas are ", options.beta1, " and ", options.beta2,
         "; both are in [0, 1)");
  }
}

Tensor Adam::updated(size_t i, const Tensor& value, const Tensor& gradient) {
  const Tensor g = options.weight_decay != 0 ? gradient + value * options.weight_decay : gradient;
  const Tensor mean = g * (1 - options.beta1), squared = g * g * (1 - options.beta2);
  means_[i] = means_[i].defined() ? means_[i] * options.beta1 + mean : mean;
  squares_[i] = squares_[i].defined() ? squares_[i] * options.beta2 + squared : squared;
  const auto t = static_cast<double>(steps());
  const double mean_bias = 1 - std::pow(options.beta1, t);
  const double square_bias = 1 - std::pow(options.beta2, t);
  const Tensor root = sqrt(squares_[i]) * (1 / std::sqrt(square_bias)) + options.eps;
  return value - means_[i] / root * (options.lr / mean_bias);
}

}  // namespace weft::optim
