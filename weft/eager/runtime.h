// OpRuntime: the generated kernels of an op, looked up once and kept by dtype.
#pragma once

#include "weft/base/cpu.h"
#include "weft/core/kernel_abi.h"
#include "weft/kernels/map.h"
#include "weft/kernels/reduce.h"
#include "weft/kernels/rows.h"
#include "weft/kernels/scan.h"
#include "weft/op/op.h"

namespace weft {

// A reduction of one dtype: its kernels, and the dtypes of its states.
struct ReduceRuntime {
  kernels::ReduceKernels kernels;  // kernels.row is null where there is no such kernel
  DType states[Reduction::kMaxStates] = {};
};

struct OpRuntime {
  // Elementwise kernels by the dtype of the last input; variant[0] is null where there is none.
  kernels::MapKernels map[kNumDTypes];
  DType result[kNumDTypes] = {};  // the dtype they give
  // The dtype of an input that has but one (a condition), or kOpen: it is the kernels' dtype.
  static constexpr uint8_t kOpen = 255;
  uint8_t fixed[kernels::MapKernels::kVariantInputs] = {kOpen, kOpen, kOpen, kOpen};
  ReduceRuntime reduce[kNumDTypes];       // reductions, by the dtype of the input
  kernels::RowKernel row[kNumDTypes];     // row kernels, by the dtype of the open inputs
  kernels::ScanKernels scan[kNumDTypes];  // by the dtype of the input; .scan is null for none
  bool regular = false;  // all open inputs have one dtype: the fast path may take them
};

// Fills the cache on first use; later calls are one load.
const OpRuntime& runtime_of(const OpDef& op);

// eager_compute for those who know the types of the results already; after ensure_kernels().
Tensors eager_run(const OpDef& op, TensorSpan in, const void* attrs, TypeSpan out);
// Writes the results to `out`, which the caller has allocated: contiguous, or for elementwise ops
// in any layout without gaps. Not for KernelKind::kHost.
void eager_run_into(const OpDef& op, TensorSpan in, const void* attrs, TensorSpan out);

// The kernel of a row op for inputs of these dtypes; looked up again if they do not follow from the
// first.
kernels::RowKernel row_kernel(const OpDef& op, TensorSpan in);

// The kernel of a cast; variant[0] is null where there is none.
kernels::MapKernels cast_kernels(const OpDef& op, DType from, DType to);

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
