// scan: inclusive scans along one axis, over tensors of any strides.
#pragma once

#include "weft/core/kernel_abi.h"
#include "weft/kernels/operand.h"

namespace weft::kernels {

// The kernels of one op and dtype. Totals may have a wider dtype than results; op/scan_order.h says
// in which order elements are combined.
struct ScanKernels {
  ScanKernel scan = nullptr;  // stores results
  // One step of neighbouring scans. Operands: result, new total, old total, element.
  MapKernel step = nullptr;
  // Only for scans in blocks; null for scans strictly from left to right.
  ScanKernel totals = nullptr;      // stores totals
  MapKernel offset = nullptr;       // result, offset (one value a row), total
  MapKernel carry = nullptr;        // offset of the next block, offset, total of the block
  MapKernel offset_step = nullptr;  // as `step`, then the offset
  int64_t total_item = 0;           // bytes of a total
  alignas(16) char identity[16] = {};
  float ns_per_element = 1;
};

// One shape, strides are free. The result of an element depends on its row and its place in it
// alone.
void scan(const ScanKernels& kernels, const Operand& out, const Operand& in, int64_t axis);

}  // namespace weft::kernels
