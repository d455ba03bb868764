// LAMB.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct LAMBOptions {
  double lr = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double eps = 1e-6;
  double weight_decay = 0;  // added to the direction: weight_decay * parameter
  bool maximize = false;
};

// Adam's direction, as long as the parameter: for large batches. You et al. 2020, with the bias of
// both moments corrected.
class LAMB : public Optimizer {
 public:
  explicit LAMB(Parameters parameters, LAMBOptions options = {});

 protected:
  void update(const Group& group, TensorSpan gradients, Where where) override;
};

}  // namespace weft::optim
