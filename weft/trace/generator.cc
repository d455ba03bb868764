// The state of the default generator, of a trace or of the process.
#include "weft/trace/generator.h"

#include "weft/base/error.h"
#include "weft/op/scope.h"
#include "weft/ops/random/key.h"
#include "weft/trace/staging.h"

namespace weft {
GeneratorTensors generator_outside(Staging* outer) {
  if (outer == nullptr) {
    const random::GeneratorState now = random::generator_state();
    const ScopeIs none(nullptr);
    return {random::Key(now.seed).words(),
            Tensor::scalar(DType::kI64, static_cast<double>(now.draws))};
  }
  if (outer->kind() == Staging::Kind::kGraph) {
    // Loops in a graph draw from a key of their own for every run.
    const ScopeIs none(nullptr);
    return {outer->drawn_before(), Tensor::scalar(DType::kI64, 0)};
  }
  return {outer->generator_seed(), outer->generator_draws()};
}

GeneratorTensors generator_now() { return generator_outside(innermost_staging()); }

void set_generator_seed(const Tensor& seed) {
  Staging* const staging = innermost_staging();
  if (staging == nullptr) {
    random::GeneratorState now = random::generator_state();
    now.seed = random::seed_of(seed);
    random::set_generator_state(now);
  } else if (staging->kind() == Staging::Kind::kFunction) {
    staging->set_generator_seed(seed);
  }
}

void set_generator_draws(const Tensor& draws) {
  Staging* const staging = innermost_staging();
  if (staging == nullptr) {
    random::GeneratorState now = random::generator_state();
    now.draws = static_cast<uint64_t>(draws.item_int());
    random::set_generator_state(now);
  } else if (staging->kind() == Staging::Kind::kFunction) {
    staging->set_generator_draws(draws);
  }
}

}  // namespace weft
