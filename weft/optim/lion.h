// Lion.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct LionOptions {
  double lr = 1e-4;
  double beta1 = 0.9, beta2 = 0.99;
  double weight_decay = 0;  // taken off the parameter: lr * weight_decay * parameter
  bool maximize = false;
};

// Steps of one size, by the sign of the momentum: Chen et al. 2023.
class Lion : public FusedOptimizer {
 public:
  explicit Lion(Parameters parameters, LionOptions options = {});

 protected:
  Tensors scalars(const Group& group) const override;
};

}  // namespace weft::optim
