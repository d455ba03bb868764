// Reductions in the canonical order: 4 accumulators of 16 lanes, whatever the machine's vectors.
#pragma once

#include "weft/codegen/kernel_spec.h"
#include "weft/codegen/llvm_function.h"

namespace weft::codegen {

inline constexpr int kReduceLanes = 16;
inline constexpr int kAccumulators = 4;

// The registers of a state: one per real part, two for complex states.
using Registers = std::vector<llvm::Value*>;

// A ReduceSpec as code on registers.
class ReduceCode {
 public:
  ReduceCode(KernelFunction& f, const ReduceSpec& spec) : f_(f), spec_(spec) {}

  const ReduceSpec& spec() const { return spec_; }
  Registers identity(int lanes);
  Registers map(Values& values);  // of input 0 and the position, which are bound
  Registers combine(const Registers& a, const Registers& b, int lanes);
  std::vector<DType> register_dtypes() const;
  // State k of the registers, as store() wants it.
  LaneValue state(const Registers& registers, size_t k) const;

 private:
  Registers evaluate(Values& values, const std::vector<Expr>& exprs);

  KernelFunction& f_;
  const ReduceSpec& spec_;
};

// The accumulators of one reduction, on the stack between the parts of its loop.
class Accumulators {
 public:
  Accumulators(KernelFunction& f, const ReduceSpec& spec);

  ReduceCode& code() { return code_; }
  Registers load(llvm::Value* slot);
  void store(llvm::Value* slot, const Registers& registers);
  Registers finish();  // (a0 + a1) + (a2 + a3), then halves of 8, 4, 2, 1: one value

 private:
  KernelFunction& f_;
  ReduceCode code_;
  std::vector<llvm::Value*> memory_;  // per register: kAccumulators vectors
};

// Runs `body` over all n elements, 16 at a time, and accumulates what it returns for each
// reduction. `light` bodies are unrolled so that the accumulators stay in registers.
void reduce_loop(KernelFunction& f, std::vector<Accumulators>& all, llvm::Value* n, bool light,
                 FunctionRef<std::vector<Registers>(const Span&)> body);

}  // namespace weft::codegen
