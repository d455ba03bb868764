// Adafactor.
#pragma once

#include "weft/optim/fused.h"

namespace weft::optim {

struct AdafactorOptions {
  double lr = 1e-2;
  double beta2_decay = -0.8;  // the mean of squares forgets by 1 - t^beta2_decay
  double eps1 = 0;            // of the mean of squares; 0: what the dtype resolves
  double eps2 = 1e-3;         // the least size of a parameter
  double d = 1;               // the largest root mean square of an update
  double weight_decay = 0;    // taken off the parameter: lr * weight_decay * parameter
  bool maximize = false;
};

// The mean of squares of a matrix as a product of its rows' and columns': Shazeer and Stern 2018.
class Adafactor : public Optimizer {
 public:
  explicit Adafactor(Parameters parameters, AdafactorOptions options = {});

 protected:
  void update(const Group& group, TensorSpan gradients, Where where) override;
};

}  // namespace weft::optim
