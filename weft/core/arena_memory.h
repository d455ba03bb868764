// Memory of a plan's arena: other values overwrite it while tensors over it live.
#pragma once

#include "weft/core/tensor.h"

namespace weft {

// What Buffer::state says of an arena.
inline constexpr uint8_t kArenaMemory = 4;
bool is_in_arena(const Tensor& tensor);
// The same value in memory of its own, for those who keep it longer than the run.
Tensor copied_out_of_arena(const Tensor& tensor);

}  // namespace weft
