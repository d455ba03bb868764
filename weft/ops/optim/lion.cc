// Lion: steps of one size, by the sign of the momentum (Chen et al. 2023).
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

// d itself for 0 and NaN.
template <class T>
T sign_of(const T& d) {
  const T falls = where(d < T(0.0), scalar_like(d, -1), d);
  return where(d > T(0.0), scalar_like(d, 1), falls);
}

constexpr auto lion = [](auto scale, auto keep, auto gain1, auto beta2, auto gain2, auto lr, auto p,
                         auto gradient, auto mean) {
  const auto g = gradient * scale;
  const auto direction = mean + (g - mean) * gain1;
  const auto move = sign_of(direction) * lr;
  return std::array{p * keep - move, weighted(mean, beta2, g, gain2)};
};

}  // namespace

constinit const OpDef kLionUpdate = update_op<lion, 6>(
    "lion.update",
    "keep * p - lr * sign(m + gain1 * (d - m)), where d is scale * g; and beta2 * m + gain2 * d.");

}  // namespace weft
