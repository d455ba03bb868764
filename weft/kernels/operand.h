// Operand: one tensor as the drivers see it, memory with a shape and strides.
#pragma once

#include <cstdint>

#include "weft/core/tensor.h"

namespace weft::kernels {

struct Operand {
  char* data = nullptr;
  const Dim* dims = nullptr;         // all known
  const int64_t* strides = nullptr;  // in elements, of any sign; 0 where broadcast
  int64_t numel = 0;
  uint8_t rank = 0;
  uint8_t item = 0;         // bytes of an element: 1, 2, 4, 8 or 16
  bool contiguous = false;  // row-major without gaps
};

[[noreturn]] void fail_operand(const Tensor& tensor);

// Requires a tensor in memory: raises [tensor.concrete] for any other.
inline Operand operand_of(const Tensor& tensor) {
  if (!tensor.is_concrete()) [[unlikely]]
    fail_operand(tensor);
  const auto& node = *static_cast<const Concrete*>(tensor.node());
  return {node.data,      node.dims, node.strides,
          node.numel,     node.rank, static_cast<uint8_t>(size_of(node.dtype)),
          node.contiguous};
}

}  // namespace weft::kernels
