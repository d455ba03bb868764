// RMSprop: steps by the root of the mean square (Hinton 2012), centered (Graves 2013), and with
// momentum.
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

constexpr auto rmsprop = [](auto scale, auto decay, auto alpha, auto gain, auto lr, auto eps,
                            auto p, auto gradient, auto square) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto v = weighted(square, alpha, g * g, gain);
  return std::array{p - g / (sqrt(v) + eps) * lr, v};
};

constexpr auto heavy = [](auto scale, auto decay, auto alpha, auto gain, auto lr, auto eps,
                          auto momentum, auto p, auto gradient, auto square, auto buffer) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto v = weighted(square, alpha, g * g, gain);
  const auto move = g / (sqrt(v) + eps);
  const auto b = buffer * momentum + move;
  return std::array{p - b * lr, v, b};
};

constexpr auto centered = [](auto scale, auto decay, auto alpha, auto gain, auto lr, auto eps,
                             auto p, auto gradient, auto square, auto mean) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto v = weighted(square, alpha, g * g, gain);
  const auto m = mean + (g - mean) * gain;
  return std::array{p - g / (sqrt(v - m * m) + eps) * lr, v, m};
};

constexpr auto heavy_centered = [](auto scale, auto decay, auto alpha, auto gain, auto lr, auto eps,
                                   auto momentum, auto p, auto gradient, auto square, auto mean,
                                   auto buffer) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto v = weighted(square, alpha, g * g, gain);
  const auto m = mean + (g - mean) * gain;
  const auto move = g / (sqrt(v - m * m) + eps);
  const auto b = buffer * momentum + move;
  return std::array{p - b * lr, v, m, b};
};

}  // namespace

constinit const OpDef kRmspropUpdate = update_op<rmsprop, 6>(
    "rmsprop.update",
    "p - lr * d / (sqrt(v) + eps), where v is a running mean of the square of d = scale * g + "
    "decay * p; and v.");
constinit const OpDef kRmspropMomentumUpdate = update_op<heavy, 7>(
    "rmsprop_momentum.update", "rmsprop.update with momentum: its steps are added up; and v, b.");
constinit const OpDef kRmspropCenteredUpdate = update_op<centered, 6>(
    "rmsprop_centered.update", "rmsprop.update by the variance v - m * m; and v, m.");
constinit const OpDef kRmspropCenteredMomentumUpdate = update_op<heavy_centered, 7>(
    "rmsprop_centered_momentum.update",
    "rmsprop.update by the variance v - m * m, with momentum; and v, m, b.");

}  // namespace weft
