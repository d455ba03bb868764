// RAdam: Adam whose steps are rectified while the variance is uncertain (Liu et al. 2020).
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

// Of `plain`, a step by the mean alone, and `step`, an adaptive one, one is 0.
constexpr auto radam = [](auto scale, auto keep, auto decay, auto gain1, auto beta2, auto gain2,
                          auto plain, auto step, auto eps, auto p, auto gradient, auto mean,
                          auto square) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto m = mean + (g - mean) * gain1;
  const auto v = weighted(square, beta2, g * g, gain2);
  const auto move = m * (plain + step / (sqrt(v) + eps));
  return std::array{p * keep - move, m, v};
};

}  // namespace

constinit const OpDef kRadamUpdate = update_op<radam, 9>(
    "radam.update",
    "keep * p - m * (plain + step / (sqrt(v) + eps)), where m and v are running means of d = scale "
    "* g + decay * p and of its square; and m, v.");

}  // namespace weft
