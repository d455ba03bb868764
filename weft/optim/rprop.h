// Rprop.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct RpropOptions {
  double lr = 1e-2;                        // the size of the first step
  double eta_minus = 0.5, eta_plus = 1.2;  // factors of a step whose gradient turned, and did not
  double smallest = 1e-6, largest = 50;    // steps
  bool maximize = false;
};

// Steps whose size follows the signs of the gradients: Riedmiller and Braun 1993. For whole
// batches.
class Rprop : public FusedOptimizer {
 public:
  explicit Rprop(Parameters parameters, RpropOptions options = {});

 protected:
  Tensors scalars(const Group& group) const override;
};

}  // namespace weft::optim
