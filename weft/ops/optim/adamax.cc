// Adamax: Adam by the largest gradient in place of squares (Kingma and Ba 2015).
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

constexpr auto adamax = [](auto scale, auto decay, auto gain1, auto beta2, auto step, auto eps,
                           auto p, auto gradient, auto mean, auto largest) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto m = mean + (g - mean) * gain1;
  const auto size = abs(g) + eps;
  const auto u = maximum(largest * beta2, size);
  return std::array{p - m / u * step, m, u};
};

}  // namespace

constinit const OpDef kAdamaxUpdate = update_op<adamax, 6>(
    "adamax.update",
    "p - step * m / u, where m is a running mean of d = scale * g + decay * p and u the larger of "
    "beta2 * u and |d| + eps; and m, u.");

}  // namespace weft
