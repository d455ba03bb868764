// LossScaler: dynamic loss scaling, which keeps small gradients of float16 from vanishing.
#pragma once

#include "weft/io/checkpoint/state.h"
#include "weft/optim/optimizer.h"

namespace weft::train {

// Multiplies the loss by a scale and gradients by its inverse. Steps whose gradients are not finite
// are left out and halve the scale; `growth_interval` good ones in a row double it. A loop of one's
// own writes
//
//   const Tensor target = scaler.scale(loss);
//   scaler.update(scaler.step(optimizer, gradients_of(target)));
//
// Its state is in Variables, so that steps may be traced functions.
class LossScaler {
 public:
  explicit LossScaler(double scale = 65536, int64_t growth_interval = 2000);

  double value() const { return scale_.value().item(); }  // the scale now
  Tensor scale(const Tensor& loss) const;
  // The gradients as they are without the scale, and whether all of them are finite.
  struct Unscaled {
    Tensors gradients;
    Tensor is_finite;
  };
  Unscaled unscale(TensorSpan gradients) const;
  // A step by scaled gradients, if they are finite; gives whether they are.
  Tensor step(optim::Optimizer& optimizer, std::span<const optim::GradientOf> scaled) const;
  // The scale for the next step.
  void update(const Tensor& is_finite) const;

  SavedState state_dict() const;
  void load_state_dict(const SavedState& state) const;

 private:
  int64_t growth_interval_;
  Variable scale_, good_steps_;
};

}  // namespace weft::train
