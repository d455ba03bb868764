// Adamax.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct AdamaxOptions {
  double lr = 2e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;  // added to the gradient: weight_decay * parameter
  bool maximize = false;
};

// Adam by the largest gradient, which fades: Kingma and Ba 2015.
class Adamax : public FusedOptimizer {
 public:
  explicit Adamax(Parameters parameters, AdamaxOptions options = {});

 protected:
  Tensors scalars(const Group& group) const override;
};

}  // namespace weft::optim
