// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019), and AMSGrad's variant of both
// (Reddi et al. 2018).
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

// `keep` is what decoupled decay leaves of the parameter, `decay` what is added to the gradient.
// The mean moves by `gain1` towards the gradient, the square is `beta2` of it and `gain2` of the
// new one. `step` is lr over the bias of the mean, `root` one over the root of the square's.
constexpr auto adam = [](auto scale, auto keep, auto decay, auto gain1, auto beta2, auto gain2,
                         auto step, auto root, auto eps, auto p, auto gradient, auto mean,
                         auto square) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto m = mean + (g - mean) * gain1;
  const auto v = weighted(square, beta2, g * g, gain2);
  const auto move = m / (sqrt(v) * root + eps) * step;
  return std::array{p * keep - move, m, v};
};

constexpr auto amsgrad = [](auto scale, auto keep, auto decay, auto gain1, auto beta2, auto gain2,
                            auto step, auto root, auto eps, auto p, auto gradient, auto mean,
                            auto square, auto largest) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto m = mean + (g - mean) * gain1;
  const auto v = weighted(square, beta2, g * g, gain2);
  const auto most = maximum(largest, v);
  const auto move = m / (sqrt(most) * root + eps) * step;
  return std::array{p * keep - move, m, v, most};
};

}  // namespace

constinit const OpDef kAdamUpdate = update_op<adam, 9>(
    "adam.update",
    "keep * p - step * m / (root * sqrt(v) + eps), where m and v are running means of d = scale * "
    "g + decay * p and of its square; and m, v.");
constinit const OpDef kAmsgradUpdate = update_op<amsgrad, 9>(
    "amsgrad.update", "adam.update with the largest v so far in place of v; and m, v, that v.");

}  // namespace weft
