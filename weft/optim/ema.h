// EMA: a running average of weights, which often predicts better than the weights themselves.
#pragma once

#include "weft/optim/state.h"

namespace weft::optim {

//     EMA ema(parameters, 0.999);
//     optimizer.step(), ema.update();
//     ema.swap();                      // evaluate with the averages, then swap back
class EMA {
 public:
  explicit EMA(std::vector<Variable> parameters, double decay = 0.999);

  const std::vector<Variable>& parameters() const { return parameters_; }
  const std::vector<Variable>& averages() const { return averages_; }
  double decay() const { return decay_.value().item(); }

  // average += (1 - decay) * (parameter - average), for all of them in one pass.
  void update(Where where = Where::here());
  // The parameters take the averages' values, and the averages the parameters'.
  void swap(Where where = Where::here());

  std::vector<NamedVariable> state() const;  // "averages.0", ..., "decay"
  StateDict state_dict() const { return values_of(state()); }
  void load_state_dict(const StateDict& state, Where where = Where::here()) {
    load_state("EMA", this->state(), state, where);
  }

 private:
  std::vector<Variable> parameters_, averages_;
  Variable decay_;
};

}  // namespace weft::optim
