// OpRuntime: the generated kernels of an op, looked up once and kept by dtype.
#pragma once

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

// "add/f32/cc": the key of a generated kernel; raises [op.kernel] if there is none.
const void* kernel_or_fail(const OpDef& op, std::string_view dtype, std::string_view variant);

// The kernels of this CPU, registered on first use.
void ensure_kernels();

// Runs everything in this tier from now on; for tests.
void use_tier_for_testing(Tier tier);

}  // namespace weft
