// ASGD.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct ASGDOptions {
  double lr = 1e-2;
  double lambd = 1e-4;      // how fast steps shrink
  double alpha = 0.75;      // the power by which they do
  double t0 = 1e6;          // the step at which averaging begins
  double weight_decay = 0;  // added to the gradient: weight_decay * parameter
  bool maximize = false;
};

// Descent with a running average of the parameters, state "average": Polyak and Juditsky 1992.
class ASGD : public FusedOptimizer {
 public:
  explicit ASGD(Parameters parameters, ASGDOptions options = {});

 protected:
  Tensors scalars(const Group& group) const override;
};

}  // namespace weft::optim
