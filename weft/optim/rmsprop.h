// RMSprop.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct RMSpropOptions {
  double lr = 1e-2;
  double alpha = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;  // added to the gradient: weight_decay * parameter
  double momentum = 0;
  bool centered = false;  // by the variance, not the mean square
  bool maximize = false;
};

// Steps by the root of the mean square: Hinton 2012; centered: Graves 2013.
class RMSprop : public FusedOptimizer {
 public:
  explicit RMSprop(Parameters parameters, RMSpropOptions options = {});

 protected:
  Tensors scalars(const Group& group) const override;

 private:
  bool has_momentum_;
};

}  // namespace weft::optim
