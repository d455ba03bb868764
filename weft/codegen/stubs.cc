// Loop shapes that have no emitter yet.
#include "weft/base/error.h"
#include "weft/codegen/c_shapes.h"
#include "weft/codegen/llvm_emit.h"

namespace weft::codegen {
namespace {
[[noreturn]] void missing() {
  fail(Code::kMissing, "codegen", "", "this loop shape has no emitter yet");
}
}  // namespace
void emit_row(llvm::Module&, const Machine&, const KernelSpec&) { missing(); }
void emit_row_reduce(llvm::Module&, const Machine&, const KernelSpec&) { missing(); }
void emit_column_reduce(llvm::Module&, const Machine&, const KernelSpec&) { missing(); }
void emit_scan(llvm::Module&, const Machine&, const KernelSpec&) { missing(); }
std::string print_row(const KernelSpec&) { missing(); }
std::string print_row_reduce(const KernelSpec&) { missing(); }
std::string print_column_reduce(const KernelSpec&) { missing(); }
std::string print_scan(const KernelSpec&) { missing(); }
}  // namespace weft::codegen
