// The running means that LAMB divides: of the gradient and of its square.
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

constexpr auto moments = [](auto scale, auto gain1, auto beta2, auto gain2, auto mean,
                            auto gradient, auto square) {
  const auto g = gradient * scale;
  return std::array{mean + (g - mean) * gain1, weighted(square, beta2, g * g, gain2)};
};

}  // namespace

constinit const OpDef kMomentsUpdate =
    update_op<moments, 4>("moments.update", "Running means of d = scale * g and of its square.");

}  // namespace weft
