// Kernels compiled at run time: LLJIT for the vector tiers, the C compiler for the portable one.
#include "weft/codegen/jit.h"

#include <dlfcn.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <unistd.h>

#include <cstdlib>

#include "weft/base/cpu.h"
#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/codegen/c_printer.h"
#include "weft/codegen/llvm_emit.h"

namespace weft::codegen {

struct JitKernels::Loaded {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void* library = nullptr;

  ~Loaded() {
    if (library) dlclose(library);
  }
};

namespace {

template <class T>
T expect(llvm::Expected<T> value) {
  if (!value) fail(Code::kInternal, "jit", "", llvm::toString(value.takeError()));
  return std::move(*value);
}

std::unique_ptr<llvm::orc::LLJIT> jit_of_object(const std::string& object) {
  auto jit = expect(llvm::orc::LLJITBuilder().create());
  auto process = expect(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      jit->getDataLayout().getGlobalPrefix()));
  jit->getMainJITDylib().addGenerator(std::move(process));
  if (auto error = jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object))) {
    fail(Code::kInternal, "jit", "", llvm::toString(std::move(error)));
  }
  return jit;
}

void* compiled_c(const std::string& source) {
  char folder[] = "/tmp/weft_jit_XXXXXX";
  WEFT_ASSERT(mkdtemp(folder) != nullptr, "cannot make a temporary folder");
  const std::string base = std::string(folder) + "/kernels";
  write_file_atomically(base + ".c", source);
  const std::string command =
      "cc -O2 -std=c11 -ffp-contract=off -fPIC -shared -o " + base + ".so " + base + ".c -lm";
  const int status = std::system(command.c_str());
  void* library = status == 0 ? dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink((base + ".so").c_str());
  if (library) {
    unlink((base + ".c").c_str());
    rmdir(folder);
  }
  if (!library) fail(Code::kInternal, "jit", "", "the printed C does not build: ", base, ".c");
  return library;
}

std::string object_of(const Machine& machine, std::span<const KernelSpec> specs) {
  llvm::LLVMContext context;
  auto target = make_target(machine);
  auto module = make_module(context, *target, "jit");
  for (const KernelSpec& spec : specs) emit_kernel(*module, machine, spec);
  return emit_object(*module, *target);
}

Isa isa_of(Tier tier) { return static_cast<Isa>(tier); }

}  // namespace

JitKernels::JitKernels(Tier tier, std::span<const KernelSpec> specs)
    : code_(std::make_unique<Loaded>()) {
  if (isa_of(tier) > best_isa()) {
    fail(Code::kInvalid, "jit", "isa", "this CPU cannot run ", name_of(isa_of(tier)));
  }
  std::vector<KernelSpec> low;
  for (const KernelSpec& spec : specs) low.push_back(lowered(spec));
  if (tier == Tier::kPortable) {
    code_->library = compiled_c(print_c(low));
    for (const KernelSpec& spec : low) {
      functions_.push_back(dlsym(code_->library, spec.symbol("portable").c_str()));
    }
    return;
  }
  const Machine& machine = machine_of(tier);
  code_->jit = jit_of_object(object_of(machine, low));
  for (const KernelSpec& spec : low) {
    const auto address = expect(code_->jit->lookup(spec.symbol(machine.name)));
    functions_.push_back(address.toPtr<void*>());
  }
}

JitKernels::~JitKernels() = default;

std::vector<Tier> runnable_tiers() {
  std::vector<Tier> tiers;
  for (int t = 0; t < kNumTiers; ++t) {
    if (static_cast<Isa>(t) <= best_isa()) tiers.push_back(static_cast<Tier>(t));
  }
  return tiers;
}

}  // namespace weft::codegen
