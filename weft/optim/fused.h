// FusedOptimizer: one whose update is one op over all parameters; it computes the op's scalars.
#pragma once

#include "weft/op/op.h"
#include "weft/optim/optimizer.h"

namespace weft::optim {

class FusedOptimizer : public Optimizer {
 protected:
  FusedOptimizer(Form form, const Parameters& parameters, const OpDef& op)
      : Optimizer(std::move(form), parameters), op_(op) {}

  // What the op takes behind `scale`, in float64, from the group's options and steps by ordinary
  // ops, so that a graph computes them when it runs.
  virtual Tensors scalars(const Group& group) const = 0;
  void update(const Group& group, TensorSpan gradients, Where where) final;

 private:
  const OpDef& op_;
};

// Applies an update op to a group: parameters and slots of 32 and 64 bits in place, those of 16
// bits by way of float32.
void apply_update(const OpDef& op, TensorSpan scalars, const Group& group, TensorSpan gradients,
                  Where where);

// Running means: how far the mean moves, and both parts of the square. Biases are 1 - beta^t.
struct Betas {
  Tensor gain1, beta2, gain2, bias1, bias2;
  explicit Betas(const Group& group);
};
// What decay leaves of the parameter, and what is added to the gradient: decoupled, or not.
struct Decay {
  Tensor keep, add;
  Decay(const Group& group, bool is_decoupled);
};

}  // namespace weft::optim
