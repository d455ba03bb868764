// EMA: averages in the dtype that the parameters' arithmetic has.
#include "weft/optim/ema.h"

#include <map>

#include "weft/base/error.h"
#include "weft/op/assign_updated.h"
#include "weft/op/builtin.h"
#include "weft/op/levels.h"
#include "weft/op/variable_state.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"

namespace weft::optim {

namespace {

// Those of one dtype follow each other, in the order they have, so that each dtype is one call.
std::vector<Variable> by_dtype(const std::vector<Variable>& parameters) {
  std::map<DType, std::vector<Variable>> groups;
  for (const Variable& parameter : parameters) groups[parameter.dtype()].push_back(parameter);
  std::vector<Variable> out;
  for (const auto& [dtype, group] : groups) out.insert(out.end(), group.begin(), group.end());
  return out;
}

}  // namespace

EMA::EMA(std::vector<Variable> parameters, double decay) : parameters_(by_dtype(parameters)) {
  check_option("EMA", {"decay", decay, Range::kFraction});
  if (parameters_.empty()) {
    fail(Code::kInvalid, "EMA", "parameters", "there are no parameters to average");
  }
  for (const Variable& parameter : parameters_) {
    const Tensor value = stored_value(parameter);
    if (!is_floating(value.dtype())) {
      fail(Code::kType, "EMA", "dtype", "parameter '", parameter.name(), "' has dtype ",
           value.dtype(), "; averages are of floating numbers");
    }
    averages_.emplace_back(
        cast(value, compute_of(value.dtype())),
        VariableOptions{.name = text(parameter.name(), ".average"), .trainable = false});
  }
  decay_ = Variable(Tensor::scalar(DType::kF64, decay), {.name = "decay", .trainable = false});
}

void EMA::update(Where where) {
  const NoGrad no_grad;
  const Tensor gain = 1.0 - now(decay_);
  for (size_t begin = 0, end = 0; begin < averages_.size(); begin = end) {
    const DType dtype = averages_[begin].dtype();
    std::vector<Tensor> weights;
    for (; end < averages_.size() && averages_[end].dtype() == dtype; ++end) {
      weights.push_back(cast(now(parameters_[end]), dtype, where));
    }
    const Tensor scalars[] = {cast(gain, dtype, where)};
    assign_updated(kEmaUpdate, scalars, weights, std::span(averages_).subspan(begin, end - begin),
                   where);
  }
}

void EMA::swap(Where where) {
  const NoGrad no_grad;
  for (size_t i = 0; i < averages_.size(); ++i) {
    const Tensor weight = now(parameters_[i]), average = now(averages_[i]);
    parameters_[i].assign(cast(average, weight.dtype(), where), where);
    averages_[i].assign(cast(weight, average.dtype(), where), where);
  }
}

std::vector<NamedVariable> EMA::state() const {
  std::vector<NamedVariable> out;
  for (size_t i = 0; i < averages_.size(); ++i) {
    out.push_back({text("averages.", i), averages_[i]});
  }
  out.push_back({"decay", decay_});
  return out;
}

}  // namespace weft::optim
