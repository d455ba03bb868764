// Emits kernels into LLVM modules: chooses by loop shape.
#include "weft/codegen/llvm_emit.h"

namespace weft::codegen {

void emit_kernel(llvm::Module& module, const Machine& machine, const KernelSpec& spec) {
  switch (spec.shape) {
    case LoopShape::kMap: return emit_map(module, machine, spec);
    case LoopShape::kRow: return emit_row(module, machine, spec);
    case LoopShape::kRowReduce:
    case LoopShape::kCombineRow: return emit_row_reduce(module, machine, spec);
    case LoopShape::kColumnReduce: return emit_column_reduce(module, machine, spec);
    case LoopShape::kScan: return emit_scan(module, machine, spec);
  }
}

}  // namespace weft::codegen
