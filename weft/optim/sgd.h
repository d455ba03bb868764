// Stochastic gradient descent.
#pragma once

#include "weft/optim/optimizer.h"

namespace weft::optim {

struct SGDOptions {
  double lr = 1e-2;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;  // added to the gradient: weight_decay * parameter
};

// buffer = momentum * buffer + gradient; parameter -= lr * buffer. Nesterov looks one step ahead:
// lr * (gradient + momentum * buffer).
class SGD : public Optimizer {
 public:
  explicit SGD(std::vector<Variable> parameters, SGDOptions options = {});

  SGDOptions options;

 protected:
  Tensor updated(size_t i, const Tensor& value, const Tensor& gradient) override;

 private:
  std::vector<Tensor> buffers_;
};

}  // namespace weft::optim
