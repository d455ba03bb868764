// The machines kernels are generated for, and what turns an LLVM module into an object file.
#include "weft/codegen/llvm_target.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>

#include "weft/base/error.h"

namespace weft::codegen {
namespace {

constexpr const char* kTriple = "x86_64-pc-linux-gnu";

constexpr Machine kAvx2{Tier::kAvx2, "avx2", "x86-64-v3", "+avx2,+fma,+f16c,+bmi,+bmi2", 32, false};
// evex512: LLVM 19 splits 512-bit vectors without it.
constexpr Machine kAvx512{
    Tier::kAvx512,
    "avx512",
    "x86-64-v4",
    "+avx2,+fma,+f16c,+bmi,+bmi2,+avx512f,+avx512vl,+avx512dq,+avx512bw,+avx512cd,+evex512",
    64,
    true};

void initialize_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

}  // namespace

const Machine& machine_of(Tier tier) { return tier == Tier::kAvx512 ? kAvx512 : kAvx2; }

std::unique_ptr<llvm::TargetMachine> make_target(const Machine& machine) {
  initialize_once();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  WEFT_ASSERT(target != nullptr, error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.FunctionSections = true;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      kTriple, machine.cpu, machine.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Default));
}

std::unique_ptr<llvm::Module> make_module(llvm::LLVMContext& context, llvm::TargetMachine& target,
                                          const std::string& name) {
  auto module = std::make_unique<llvm::Module>(name, context);
  module->setTargetTriple(kTriple);
  module->setDataLayout(target.createDataLayout());
  module->setPICLevel(llvm::PICLevel::BigPIC);
  return module;
}

std::string emit_object(llvm::Module& module, llvm::TargetMachine& target) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const bool refused =
      target.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  WEFT_ASSERT(!refused, "the target cannot emit objects");
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace weft::codegen
