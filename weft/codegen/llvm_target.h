// The machines kernels are generated for, and what turns an LLVM module into an object file.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "weft/core/kernel_abi.h"

namespace weft::codegen {

// A tier as LLVM sees it. Features are an explicit list, never the builder's CPU.
struct Machine {
  Tier tier;
  const char* name;      // "avx2": in symbols and file names
  const char* cpu;       // only for tuning and the base of the features
  const char* features;  // beyond the base
  int vector_bytes;
  bool masks;  // masked loads and stores of every element size cost nothing

  int lanes(int element_bytes) const { return vector_bytes / element_bytes; }
};

const Machine& machine_of(Tier tier);  // kAvx2 or kAvx512

std::unique_ptr<llvm::TargetMachine> make_target(const Machine& machine);

// An empty module for the machine.
std::unique_ptr<llvm::Module> make_module(llvm::LLVMContext& context, llvm::TargetMachine& target,
                                          const std::string& name);

// The object file of the module. No IR passes run: they change bits (docs/design/codegen.md).
std::string emit_object(llvm::Module& module, llvm::TargetMachine& target);

}  // namespace weft::codegen
