// The default generator as tensors: how traces hand its state through functions.
#pragma once

#include "weft/core/tensor.h"

namespace weft {

class Staging;

struct GeneratorTensors {
  Tensor seed;   // the words of the seed's key
  Tensor draws;  // how many keys were drawn, an int64
};

// As it is now: that of the innermost open trace, or the process's own.
GeneratorTensors generator_now();
// The same outside of a trace, whose surroundings `outer` is; null: the process.
GeneratorTensors generator_outside(Staging* outer);
void set_generator_seed(const Tensor& seed);
void set_generator_draws(const Tensor& draws);

}  // namespace weft
