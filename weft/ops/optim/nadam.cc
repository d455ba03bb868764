// NAdam: Adam with Nesterov's momentum (Dozat 2016).
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

// `ahead` weighs the gradient, `step` the mean.
constexpr auto nadam = [](auto scale, auto keep, auto decay, auto gain1, auto beta2, auto gain2,
                          auto ahead, auto step, auto root, auto eps, auto p, auto gradient,
                          auto mean, auto square) {
  const auto g = gradient * scale + p * decay;
  const auto m = mean + (g - mean) * gain1;
  const auto v = square * beta2 + g * g * gain2;
  return std::array{p * keep - (g * ahead + m * step) / (sqrt(v) * root + eps), m, v};
};

}  // namespace

constinit const OpDef kNadamUpdate = update_op<nadam, 10>(
    "nadam.update",
    "keep * p - (ahead * d + step * m) / (root * sqrt(v) + eps), where m and v are running means "
    "of d = scale * g + decay * p and of its square; and m, v.");

}  // namespace weft
