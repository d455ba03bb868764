// Stochastic gradient descent.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;  // added to the gradient: weight_decay * parameter
  bool nesterov = false;
  bool maximize = false;
};

// buffer = momentum * buffer + (1 - dampening) * gradient, in the first step the gradient itself;
// parameter -= lr * buffer. Nesterov looks one step ahead: lr * (gradient + momentum * buffer).
class SGD : public FusedOptimizer {
 public:
  explicit SGD(Parameters parameters, SGDOptions options = {});

 protected:
  Tensors scalars(const Group& group) const override;

 private:
  bool has_momentum_;
};

}  // namespace weft::optim
