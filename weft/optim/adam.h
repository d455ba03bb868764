// Adam.
#pragma once

#include "weft/optim/optimizer.h"

namespace weft::optim {

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;  // added to the gradient: weight_decay * parameter
};

// Kingma and Ba 2015, with the bias of both moments corrected.
class Adam : public Optimizer {
 public:
  explicit Adam(std::vector<Variable> parameters, AdamOptions options = {});

  AdamOptions options;

 protected:
  Tensor updated(size_t i, const Tensor& value, const Tensor& gradient) override;

 private:
  std::vector<Tensor> means_, squares_;
};

}  // namespace weft::optim
