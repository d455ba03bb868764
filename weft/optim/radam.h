// RAdam.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct RAdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool decoupled_weight_decay = false;
  bool maximize = false;
};

// Adam that steps by the mean alone until the variance is certain: Liu et al. 2020.
class RAdam : public FusedOptimizer {
 public:
  explicit RAdam(Parameters parameters, RAdamOptions options = {});

 protected:
  Tensors scalars(const Group& group) const override;

 private:
  bool is_decoupled_;
};

}  // namespace weft::optim
