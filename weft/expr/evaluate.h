// Evaluator: an expression over arrays, block by block, with exactly the meaning stated in expr.h.
//
// For tests and measurements: millions of points a second without a code generator. Expressions are
// elementwise and real, with Calls already expanded.
//
//   Evaluator(expand_calls(exp(Expr::input(0, DType::kF32)))).run({x.data()}, y.data(), x.size());
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "weft/expr/expr.h"

namespace weft {

class Evaluator {
 public:
  explicit Evaluator(Expr root);

  // Reads input k from inputs[k] (n elements of its dtype), writes n elements of the root's dtype.
  // One Evaluator serves one thread at a time.
  void run(std::initializer_list<const void*> inputs, void* out, size_t n);

 private:
  struct Step {
    const ExprNode* node;
    size_t slot;     // where the result goes
    size_t args[3];  // slots of the arguments
  };
  void plan(Expr root);
  void* slot(size_t i) { return &storage_[i * kSlotWords]; }

  static constexpr int kBlock = 256;
  static constexpr size_t kSlotWords = kBlock;  // of 8 bytes, for the widest dtype
  std::vector<Step> steps_;
  std::vector<uint64_t> storage_;
  size_t result_ = 0;
  int64_t result_bytes_ = 0;
};

}  // namespace weft
