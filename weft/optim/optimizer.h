// What optimizers share: parameters, and the gradients that backward has left in them.
#pragma once

#include <vector>

#include "weft/op/variable.h"

namespace weft::optim {

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
