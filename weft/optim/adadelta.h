// Adadelta.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct AdadeltaOptions {
  double lr = 1;
  double rho = 0.9;
  double eps = 1e-6;
  double weight_decay = 0;  // added to the gradient: weight_decay * parameter
  bool maximize = false;
};

// Steps in the units of the parameter: Zeiler 2012.
class Adadelta : public FusedOptimizer {
 public:
  explicit Adadelta(Parameters parameters, AdadeltaOptions options = {});

 protected:
  Tensors scalars(const Group& group) const override;
};

}  // namespace weft::optim
