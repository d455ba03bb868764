// Adam and AdamW.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;  // added to the gradient: weight_decay * parameter
  bool amsgrad = false;     // by the largest mean of squares so far
  bool maximize = false;
};

// Kingma and Ba 2015, with the bias of both moments corrected.
class Adam : public FusedOptimizer {
 public:
  explicit Adam(Parameters parameters, AdamOptions options = {});

 protected:
  Adam(std::string name, Parameters parameters, AdamOptions options, bool is_decoupled);
  Tensors scalars(const Group& group) const override;

 private:
  bool is_decoupled_;
};

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 1e-2;  // taken off the parameter: lr * weight_decay * parameter
  bool amsgrad = false;
  bool maximize = false;
};

// Adam with decoupled weight decay: Loshchilov and Hutter 2019.
class AdamW : public Adam {
 public:
  explicit AdamW(Parameters parameters, AdamWOptions options = {});
};

}  // namespace weft::optim
