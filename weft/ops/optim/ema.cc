// The running average of weights.
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

constexpr auto ema = [](auto gain, auto average, auto weight) {
  return std::array{average + (weight - average) * gain};
};

}  // namespace

constinit const OpDef kEmaUpdate =
    update_op<ema, 1>("ema.update", "The average, moved by gain towards the weight.");

}  // namespace weft
