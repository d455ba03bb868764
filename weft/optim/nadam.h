// NAdam.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct NAdamOptions {
  double lr = 2e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum_decay = 4e-3;
  bool decoupled_weight_decay = false;
  bool maximize = false;
};

// Adam with Nesterov's momentum: Dozat 2016.
class NAdam : public FusedOptimizer {
 public:
  explicit NAdam(Parameters parameters, NAdamOptions options = {});

 protected:
  Tensors scalars(const Group& group) const override;

 private:
  bool is_decoupled_;
};

}  // namespace weft::optim
