// update: one generated kernel over lists of tensors, all of them in one fork of the pool.
#pragma once

#include <cstdint>
#include <span>

#include "weft/core/kernel_abi.h"

namespace weft::kernels {

struct UpdateCall {
  MapKernel kernel = nullptr;
  std::span<void* const> scalars;   // one value each
  std::span<void* const> pointers;  // of the first tensor: outputs, operands; then of the next
  std::span<const int64_t> sizes;   // elements, by tensor
  int outputs = 0;
  int64_t item = 0;  // bytes of an element
};

// The operands of a tensor are contiguous, or lie alike; an output may lie exactly on an operand.
// Tiles depend on the sizes alone.
void update(const UpdateCall& call);

}  // namespace weft::kernels
