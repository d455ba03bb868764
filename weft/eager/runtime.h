// OpRuntime: the generated kernels of an op, looked up once and kept by dtype.
#pragma once

#include "weft/base/cpu.h"
#include "weft/core/kernel_abi.h"
#include "weft/kernels/map.h"
#include "weft/op/op.h"

namespace weft {

struct OpRuntime {
  // Elementwise kernels by the dtype of the last input; variant[0] is null where there is none.
  kernels::MapKernels map[kNumDTypes];
  DType result[kNumDTypes] = {};  // the dtype they give
  bool uniform = false;           // all inputs have one dtype: the fast path may take them
};

// Fills the cache on first use; later calls are one load.
const OpRuntime& runtime_of(const OpDef& op);

// The kernel named `key`; raises [op.kernel] if there is none.
const KernelEntry& kernel_or_fail(const OpDef& op, const std::string& key);

// The function of a kernel in the tier in use.
template <class Function>
Function function_of(const KernelEntry& entry) {
  return reinterpret_cast<Function>(const_cast<void*>(find_kernel(entry.key)));
}

// The kernels of this CPU, registered on first use.
void ensure_kernels();

// Runs everything in this tier from now on; for tests.
void use_isa_for_testing(Isa isa);

}  // namespace weft
