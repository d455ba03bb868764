// Emits kernels into LLVM modules.
#pragma once

#include "weft/codegen/kernel_spec.h"
#include "weft/codegen/llvm_target.h"

namespace weft::codegen {

// Adds the function `spec.symbol(machine.name)` to the module. The spec is lowered (no Calls).
void emit_kernel(llvm::Module& module, const Machine& machine, const KernelSpec& spec);

// One function per shape; called by emit_kernel.
void emit_map(llvm::Module& module, const Machine& machine, const KernelSpec& spec);
void emit_row(llvm::Module& module, const Machine& machine, const KernelSpec& spec);
void emit_row_reduce(llvm::Module& module, const Machine& machine, const KernelSpec& spec);
void emit_column_reduce(llvm::Module& module, const Machine& machine, const KernelSpec& spec);
void emit_scan(llvm::Module& module, const Machine& machine, const KernelSpec& spec);

// Above this many nodes a kernel has one loop body for whole vectors and for the end.
inline constexpr size_t kHeavyNodes = 24;

}  // namespace weft::codegen
