// What optimizers share: parameters, and the gradients that backward has left in them.
#pragma once

#include <vector>

#include "weft/op/variable.h"

namespace weft::optim {

// Raises for an option that is negative or no number: `SGD: lr is -1; it is 0 or more [SGD.lr]`.
void check_not_negative(std::string_view who, std::string_view name, double value);

class Optimizer {
 public:
  explicit Optimizer(std::vector<Variable> parameters);
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  const std::vector<Variable>& parameters() const { return parameters_; }
  int64_t steps() const { return steps_; }

  // One update of every parameter; raises, before any is changed, if one has no gradient.
  void step(Where where = Where::here());
  // Forgets the gradients.
  void zero_grad();

 protected:
  // The new value of parameter i.
  virtual Tensor updated(size_t i, const Tensor& value, const Tensor& gradient) = 0;

 private:
  std::vector<Variable> parameters_;
  int64_t steps_ = 0;
};

}  // namespace weft::optim
