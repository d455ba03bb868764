// map: runs an elementwise kernel over tensors of any strides.
#pragma once

#include <span>

#include "weft/core/kernel_abi.h"
#include "weft/kernels/operand.h"

namespace weft::kernels {

struct MapKernels {
  // Inputs that variants tell apart; later ones are always contiguous along the row.
  static constexpr int kVariantInputs = 4;
  // By the inputs that are one value along the row: bit i for input i. Null if not generated; [0],
  // all contiguous, always is.
  MapKernel variant[1 << kVariantInputs] = {};
  uint8_t inputs = 0;
  uint8_t outputs = 1;
  bool uses_position = false;   // reads Expr::position: output 0 is then contiguous
  bool streams = false;         // so cheap that memory decides: large results go past the caches
  float ns_per_element = 0.3f;  // an estimate, on one thread
};

// The outputs have one shape, to which the inputs broadcast. An output may lie exactly on an input.
void map(const MapKernels& kernels, TensorSpan outputs, TensorSpan inputs);
// The same on raw operands: the outputs, then the inputs.
void map(const MapKernels& kernels, std::span<const Operand> operands);

// All of it as one call of a kernel on this thread, for those who run the same again and again:
//     kernel(pointers, strides, n, rows, 0)
// where the pointers are those of the operands.
struct MapCall {
  MapKernel kernel = nullptr;  // null: it is too much work, or needs packing
  int64_t n = 0, rows = 1;
  int64_t strides[2 * MapKernels::kVariantInputs + 1] = {};  // in bytes, from row to row
};
MapCall direct_map(const MapKernels& kernels, std::span<const Operand> operands);

}  // namespace weft::kernels
