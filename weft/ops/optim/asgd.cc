// ASGD: descent with a running average of the parameters (Polyak and Juditsky 1992).
#include "weft/ops/optim/optim.h"
#include "weft/ops/optim/update.h"

namespace weft {
namespace {

constexpr auto asgd = [](auto scale, auto decay, auto keep, auto eta, auto mu, auto p,
                         auto gradient, auto average) {
  const auto g = weighted(gradient, scale, p, decay);
  const auto move = g * eta;
  const auto next = p * keep - move;
  return std::array{next, weighted(next, mu, average, 1.0 - mu)};
};

}  // namespace

constinit const OpDef kAsgdUpdate = update_op<asgd, 5>(
    "asgd.update",
    "keep * p - eta * (scale * g + decay * p); and the average, moved by mu towards it.");

}  // namespace weft
