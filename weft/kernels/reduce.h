// reduce: runs a reduction's kernels over any set of axes and any strides, in the canonical order.
//
// The order is over the logical index of the reduced elements (row-major over the reduced axes):
// blocks of kReduceBlock elements, each reduced by a kernel, their results combined by the combine
// kernel in ascending order, again in blocks. Neither strides nor threads nor the path taken (rows,
// columns, packed) can change a bit.
#pragma once

#include "weft/core/kernel_abi.h"
#include "weft/kernels/operand.h"

namespace weft::kernels {

inline constexpr int kMaxStates = 2;

struct ReduceKernels {
  RowReduceKernel row = nullptr;
  ColumnReduceKernel column = nullptr;  // null: columns are packed as rows
  CombineKernel combine = nullptr;      // of states laid out as rows
  uint8_t states = 1;
  uint8_t state_item[kMaxStates] = {};  // bytes of each state
  float ns_per_element = 0.1f;
  int64_t block = kReduceBlock;  // smaller in tests only
};

// Bit d of `axes` is set for each axis to reduce. state k of each output goes to states[k], which
// is contiguous and in row-major order of the other axes; null for a state nobody wants. Nothing is
// written if there is nothing to reduce: the caller knows what an empty reduction gives.
void reduce(const ReduceKernels& kernels, void* const* states, const Operand& in, uint32_t axes);

}  // namespace weft::kernels
