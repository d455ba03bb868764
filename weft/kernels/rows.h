// rows: kernels that run along one axis, over tensors of any strides.
#pragma once

#include "weft/core/kernel_abi.h"
#include "weft/kernels/operand.h"

namespace weft::kernels {

struct RowKernel {
  MapKernel kernel = nullptr;  // all operands contiguous along the row
  float ns_per_element = 1;    // an estimate, on one thread
  int64_t scratch = 0;         // KernelEntry::scratch
  MapKernel past = nullptr;    // the same with results stored past the caches, where lines begin
  int64_t past_scratch = 0;
  uint32_t scalars = 0;       // bit i: input i is one value per row
  bool streams = false;       // so cheap that memory decides: large results go past the caches
  int64_t rows_together = 1;  // rows of one call that the kernel works on in step
};

// Runs the kernel over the rows along the last axis of input 0. All outputs have one shape but for
// the last axis: a row, or 1 for an output that is one value per row. The inputs broadcast to it: a
// weight or bias of rank 1 is read along every row.
void rows(const RowKernel& kernel, TensorSpan outputs, TensorSpan inputs);

}  // namespace weft::kernels
