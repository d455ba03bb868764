// NAdam: Adam with Nesterov's momentum (Dozat 2016).
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

// `ahead` weighs the gradient, `step` the mean.
constexpr auto nadam = [](auto scale, auto keep, auto decay, auto gain1, auto beta2, auto gain2,
                          auto ahead, auto step, auto root, auto eps, auto p, auto gradient,
                          auto mean, auto square) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto m = mean + (g - mean) * gain1;
  const auto v = weighted(square, beta2, g * g, gain2);
  const auto size = sqrt(v) * root + eps;
  const auto move = weighted(g, ahead, m, step) / size;
  return std::array{p * keep - move, m, v};
};

}  // namespace

constinit const OpDef kNadamUpdate = update_op<nadam, 10>(
    "nadam.update",
    "keep * p - (ahead * d + step * m) / (root * sqrt(v) + eps), where m and v are running means "
    "of d = scale * g + decay * p and of its square; and m, v.");

}  // namespace weft
