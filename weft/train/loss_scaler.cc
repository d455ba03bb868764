// The scale of losses: Variables, so that traced steps change it.
#include "weft/train/loss_scaler.h"

#include <cmath>

#include "weft/base/error.h"
#include "weft/control/control.h"
#include "weft/op/builtin.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft::train {

LossScaler::LossScaler(double scale, int64_t growth_interval)
    : growth_interval_(growth_interval),
      scale_(Tensor::scalar(DType::kF32, scale), {.name = "scale", .trainable = false}),
      good_steps_(Tensor::scalar(DType::kI64, 0), {.name = "good_steps", .trainable = false}) {
  if (!(scale > 0) || !std::isfinite(scale)) {
    fail(Code::kInvalid, "LossScaler", "scale", "scale is ", scale,
         "; it is finite, and greater than 0");
  }
  if (growth_interval < 1) {
    fail(Code::kInvalid, "LossScaler", "growth_interval", "growth_interval is ", growth_interval,
         "; it is a number of steps, 1 or more");
  }
}

Tensor LossScaler::scale(const Tensor& loss) const {
  return loss * cast(scale_.read(), loss.dtype());
}

LossScaler::Unscaled LossScaler::unscale(TensorSpan gradients) const {
  const Tensor factor = 1.0 / scale_.read();
  Unscaled out{{}, Tensor::scalar(DType::kBool, 1)};
  for (const Tensor& gradient : gradients) {
    out.gradients.push_back(gradient * cast(factor, gradient.dtype()));
    out.is_finite = logical_and(out.is_finite, all(isfinite(gradient)));
  }
  return out;
}

Tensor LossScaler::step(optim::Optimizer& optimizer,
                        std::span<const optim::GradientOf> scaled) const {
  Tensors gradients;
  for (const auto& [gradient, variable] : scaled) gradients.push_back(gradient);
  const Unscaled all = unscale(gradients);
  const auto apply = [&](TensorSpan) {
    std::vector<optim::GradientOf> pairs;
    for (size_t i = 0; i < scaled.size(); ++i) {
      pairs.emplace_back(all.gradients[i], scaled[i].second);
    }
    optimizer.apply_gradients(pairs);
    return Tensors{};
  };
  cond_flat(all.is_finite, apply, [](TensorSpan) { return Tensors{}; }, {}, Where());
  return all.is_finite;
}

void LossScaler::update(const Tensor& is_finite) const {
  const Tensor more = good_steps_.read() + 1;
  const Tensor good = where(is_finite, more, 0);
  const Tensor grows = good >= growth_interval_;
  const Tensor scale = scale_.read();
  const Tensor grown = where(grows, scale * 2.0, scale);
  scale_.assign(where(is_finite, grown, scale * 0.5));
  good_steps_.assign(where(grows, 0, good));
}

SavedState LossScaler::state_dict() const {
  return SavedState::dict({{"scale", scale_}, {"good_steps", good_steps_}});
}

void LossScaler::load_state_dict(const SavedState& state) const {
  scale_.assign(state.at("scale").tensor());
  good_steps_.assign(state.at("good_steps").tensor());
}

}  // namespace weft::train
