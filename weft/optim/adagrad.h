// Adagrad.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct AdagradOptions {
  double lr = 1e-2;
  double lr_decay = 0;
  double weight_decay = 0;  // added to the gradient: weight_decay * parameter
  double initial_accumulator_value = 0;
  double eps = 1e-10;
  bool maximize = false;
};

// Steps by the root of the sum of all squares: Duchi et al. 2011.
class Adagrad : public FusedOptimizer {
 public:
  explicit Adagrad(Parameters parameters, AdagradOptions options = {});

 protected:
  Tensors scalars(const Group& group) const override;
};

}  // namespace weft::optim
