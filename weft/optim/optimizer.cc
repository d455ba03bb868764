// The step that all optimizers take.
#include "weft/optim/optimizer.h"

#include "weft/base/fail_at.h"
#include "weft/op/levels.h"
#include "weft/op/record.h"

namespace weft::optim {
namespace {

std::string named(const Variable& parameter) {
  return parameter.name().empty() ? "" : text(" ('", parameter.name(), "')");
}

}  // namespace

Optimizer::Optimizer(std::vector<Variable> parameters) : parameters_(std::move(parameters)) {
  if (parameters_.empty()) {
    fail(Code::kInvalid, "optim", "parameters", "there are no parameters to optimize");
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].defined()) {
      fail(Code::kType, "optim", "parameters", "parameter ", i, " is undefined");
    }
    if (!is_differentiable(parameters_[i].dtype())) {
      fail(Code::kType, "optim", "dtype", "parameter ", i, named(parameters_[i]), " has dtype ",
           parameters_[i].dtype(), ", which has no derivatives; make it of a floating dtype");
    }
    for (size_t j = 0; j < i; ++j) {
      if (!parameters_[i].same_place(parameters_[j])) continue;
      fail(Code::kInvalid, "optim", "twice", "parameters ", j, " and ", i, " are one Variable",
           named(parameters_[i]), ", which would be updated twice a step; give each once");
    }
  }
}

void check_not_negative(std::string_view who, std::string_view name, double value) {
  if (!(value >= 0)) fail(Code::kInvalid, who, name, name, " is ", value, "; it is 0 or more");
}

void Optimizer::step(Where where) {
  const NoGrad no_grad;
  std::vector<Tensor> gradients;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Variable gradient = parameters_[i].grad();
    if (!gradient.defined()) {
      fail_at(where, Code::kInvalid, "step", "gradient", "parameter ", i, named(parameters_[i]),
              " has no gradient",
              parameters_[i].trainable()
                  ? "; call backward() on a loss that depends on it, or leave it out of the "
                    "optimizer"
                  : ", because it is not trainable; leave it out of the optimizer");
    }
    gradients.push_back(gradient.value());
  }
  ++steps_;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i].assign(updated(i, parameters_[i].value(), gradients[i]), where);
  }
}

void Optimizer::zero_grad() {
  for (const Variable& parameter : parameters_) parameter.clear_grad();
}

}  // namespace weft::optim
