// SGD: descent along the gradient, with momentum (Sutskever et al. 2013) and Nesterov's variant.
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

constexpr auto plain = [](auto scale, auto lr, auto decay, auto p, auto gradient) {
  const auto g = weighted(gradient, scale, p, decay);
  return std::array{p - g * lr};
};

// `gain` is 1 - dampening, and 1 in the first step, when the buffer is 0.
constexpr auto heavy = [](auto scale, auto lr, auto decay, auto momentum, auto gain, auto p,
                          auto gradient, auto buffer) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto next = weighted(buffer, momentum, g, gain);
  return std::array{p - next * lr, next};
};

constexpr auto ahead = [](auto scale, auto lr, auto decay, auto momentum, auto gain, auto p,
                          auto gradient, auto buffer) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto next = weighted(buffer, momentum, g, gain);
  return std::array{p - (g + next * momentum) * lr, next};
};

}  // namespace

constinit const OpDef kSgdUpdate =
    update_op<plain, 3>("sgd.update", "p - lr * (scale * g + decay * p).");
constinit const OpDef kMomentumUpdate = update_op<heavy, 5>(
    "momentum.update",
    "p - lr * b, where b is momentum * buffer + gain * (scale * g + decay * p); and b.");
constinit const OpDef kNesterovUpdate = update_op<ahead, 5>(
    "nesterov.update",
    "p - lr * (d + momentum * b), where d is scale * g + decay * p and b is momentum * buffer + "
    "gain * d; and b.");

}  // namespace weft
