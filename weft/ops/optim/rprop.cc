// Rprop: steps whose size follows the signs of the gradients (Riedmiller and Braun 1993).
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

// `minus` and `plus` are the factors of a step whose gradient changed its sign, and did not.
constexpr auto rprop = [](auto scale, auto minus, auto plus, auto low, auto high, auto p,
                          auto gradient, auto before, auto size) {
  const auto given = gradient * scale;
  const auto agreed = given * before;
  const auto zero = scalar_like(given, 0), one = scalar_like(given, 1);
  const auto has_turned = agreed < zero;
  const auto otherwise = where(has_turned, minus, one);
  const auto factor = where(agreed > zero, plus, otherwise);
  const auto next = minimum(maximum(size * factor, low), high);
  const auto g = where(has_turned, zero, given);
  const auto falls = where(g < zero, scalar_like(g, -1), g);
  const auto sign = where(g > zero, one, falls);
  return std::array{p - sign * next, g, next};
};

}  // namespace

constinit const OpDef kRpropUpdate = update_op<rprop, 5>(
    "rprop.update",
    "p - sign(d) * s, where s is the size of the step before, times plus if d = scale * g has the "
    "sign it had then, times minus, and d 0, if not, within [low, high]; and d, s.");

}  // namespace weft
