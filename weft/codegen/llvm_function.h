// A kernel's function under construction: loops, branches, stack space, loads and stores of lanes.
#pragma once

#include <string>
#include <vector>

#include "weft/base/function_ref.h"
#include "weft/base/sizes.h"
#include "weft/codegen/llvm_values.h"

namespace weft::codegen {

// One element of a vector of lanes, as registers hold it; `imag` only for complex dtypes.
struct LaneValue {
  llvm::Value* real = nullptr;
  llvm::Value* imag = nullptr;
};

// Which elements of a row a vector covers: `lanes` from `index` on, of which only the first `count`
// exist if it is not null.
struct Span {
  llvm::Value* index;
  int lanes;
  llvm::Value* count = nullptr;
};

class KernelFunction {
 public:
  // Parameters are 'p' (pointer) or 'i' (i64).
  KernelFunction(llvm::Module& module, const Machine& machine, const std::string& name,
                 std::string_view parameters);

  Builder& b() { return b_; }
  const Machine& machine() const { return machine_; }
  llvm::Value* arg(unsigned i) { return function_->getArg(i); }
  llvm::Value* i64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }
  // Space on the stack, reserved once.
  llvm::Value* stack(llvm::Type* type, uint64_t count = 1);
  // Element k of an array of pointers or of i64.
  llvm::Value* pointer_at(llvm::Value* array, unsigned k);
  llvm::Value* i64_at(llvm::Value* array, unsigned k);
  llvm::Value* offset(llvm::Value* pointer, llvm::Value* bytes);
  void copy_bytes(llvm::Value* to, llvm::Value* from, llvm::Value* bytes);

  void prefetch(llvm::Value* pointer, llvm::Value* bytes);  // to L2; may point anywhere

  using Body = FunctionRef<void(llvm::Value* i)>;
  using CarryBody = FunctionRef<void(llvm::Value* i, std::vector<llvm::Value*>& carried)>;
  // for (i = begin; i + step <= end; i += step); returns the first i it did not take.
  llvm::Value* full_steps(llvm::Value* begin, llvm::Value* end, int64_t step, Body body);
  llvm::Value* full_steps(llvm::Value* begin, llvm::Value* end, int64_t step,
                          std::vector<llvm::Value*>& carried, CarryBody body);
  // for (i = begin; i < end; i += step).
  void all_steps(llvm::Value* begin, llvm::Value* end, int64_t step, Body body);
  void all_steps(llvm::Value* begin, llvm::Value* end, int64_t step,
                 std::vector<llvm::Value*>& carried, CarryBody body);
  void when(llvm::Value* condition, FunctionRef<void()> body);
  llvm::BasicBlock* block(const char* name);
  void finish() { b_.CreateRetVoid(); }

  // min(lanes, end - index): how many of the lanes exist.
  llvm::Value* remaining(llvm::Value* index, llvm::Value* end, int lanes);

  // The elements at pointer + index; elements beyond count are not touched and read as anything.
  LaneValue load(llvm::Value* pointer, DType dtype, const Span& span);
  // NaN is stored as the one quiet NaN.
  void store(llvm::Value* pointer, DType dtype, LaneValue value, const Span& span);
  // The same past the caches, to where a line begins: all lanes of a dtype of one part.
  void store_past_caches(llvm::Value* pointer, DType dtype, llvm::Value* value, const Span& span);
  // The same without touching NaN, and for dtypes of one part.
  void store_raw(llvm::Value* pointer, DType dtype, llvm::Value* value, const Span& span);
  llvm::Value* mask(int lanes, llvm::Value* count);  // which lanes exist

 private:
  llvm::Value* loop(llvm::Value* begin, int64_t step, std::vector<llvm::Value*>& carried,
                    FunctionRef<llvm::Value*(llvm::Value* i)> goes_on, CarryBody body);
  llvm::Value* load_words(llvm::Value* at, llvm::Type* type, int64_t bytes, llvm::Value* count);
  void store_words(llvm::Value* at, llvm::Value* value, int64_t bytes, llvm::Value* count);
  bool has_mask(int64_t bytes) const { return machine_.masks || bytes == 4 || bytes == 8; }

  const Machine& machine_;
  llvm::Function* function_;
  llvm::BasicBlock* entry_;
  Builder b_;
};

}  // namespace weft::codegen
