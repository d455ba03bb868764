// Kernels compiled at run time, for tests and (later) run-time fusion.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "weft/codegen/kernel_spec.h"
#include "weft/core/kernel_abi.h"

namespace weft::codegen {

// Machine code of a few kernels; it lives as long as this object.
class JitKernels {
 public:
  // Compiles the specs (Calls are expanded here) for the tier; raises if the CPU lacks it. The
  // portable tier is the printed C, compiled by the system's C compiler.
  JitKernels(Tier tier, std::span<const KernelSpec> specs);
  ~JitKernels();
  JitKernels(const JitKernels&) = delete;
  JitKernels& operator=(const JitKernels&) = delete;

  const void* function(size_t spec) const { return functions_[spec]; }
  template <class F>
  F as(size_t spec = 0) const {
    return reinterpret_cast<F>(const_cast<void*>(functions_[spec]));
  }

 private:
  struct Loaded;
  std::unique_ptr<Loaded> code_;
  std::vector<const void*> functions_;
};

// The tiers this machine can run: portable, and those the CPU has.
std::vector<Tier> runnable_tiers();

}  // namespace weft::codegen
