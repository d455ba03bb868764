// Adagrad: steps by the root of all squares so far (Duchi et al. 2011).
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

constexpr auto adagrad = [](auto scale, auto decay, auto lr, auto eps, auto p, auto gradient,
                            auto total) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto sum = total + g * g;
  return std::array{p - g / (sqrt(sum) + eps) * lr, sum};
};

}  // namespace

constinit const OpDef kAdagradUpdate = update_op<adagrad, 4>(
    "adagrad.update",
    "p - lr * d / (sqrt(sum) + eps), where sum is that of all squares of d = scale * g + decay * "
    "p; and sum.");

}  // namespace weft
