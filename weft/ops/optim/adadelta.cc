// Adadelta: steps in the units of the parameter (Zeiler 2012).
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

constexpr auto adadelta = [](auto scale, auto decay, auto rho, auto gain, auto lr, auto eps, auto p,
                             auto gradient, auto square, auto moved) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto v = weighted(square, rho, g * g, gain);
  const auto root = sqrt(v + eps);
  const auto delta = sqrt(moved + eps) / root * g;
  return std::array{p - delta * lr, v, weighted(moved, rho, delta * delta, gain)};
};

}  // namespace

constinit const OpDef kAdadeltaUpdate = update_op<adadelta, 6>(
    "adadelta.update",
    "p - lr * t, where t is sqrt(u + eps) / sqrt(v + eps) * d, v a running mean of the square of d "
    "= scale * g + decay * p, and u one of the square of t; and v, u.");

}  // namespace weft
