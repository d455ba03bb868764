// From Expr nodes to LLVM values: a vector of `lanes` elements for every node, or a scalar.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <unordered_map>
#include <utility>

#include "weft/codegen/llvm_target.h"
#include "weft/expr/expr.h"

namespace weft::codegen {

using Builder = llvm::IRBuilder<>;

// Emits the nodes of Exprs at the builder's place, each once. Inputs, positions and whatever else
// comes from outside is bound first; f16 and bf16 values are their bits, bool is i1.
class Values {
 public:
  Values(Builder& builder, const Machine& machine, int lanes)
      : b_(builder), machine_(machine), lanes_(lanes) {}

  int lanes() const { return lanes_; }
  void bind(const ExprNode* node, llvm::Value* value) { known_[node] = value; }
  void bind_input(uint32_t index, llvm::Value* value) { inputs_[index] = value; }
  void bind_complex(uint32_t index, llvm::Value* real, llvm::Value* imag) {
    complex_[index] = {real, imag};
  }
  bool knows(const ExprNode* node) const { return known_.contains(node); }

  llvm::Value* operator()(Expr e) { return value_of(e.node()); }

  llvm::Type* element(DType dtype) const;  // of one lane in a register
  llvm::Type* type(DType dtype) const { return widened(element(dtype)); }
  llvm::Type* widened(llvm::Type* element) const;
  llvm::Value* splat(llvm::Value* scalar) const;
  llvm::Constant* constant(DType dtype, double value) const;
  llvm::Value* canonical_nan(DType dtype, llvm::Value* value);  // NaN becomes the one quiet NaN
  llvm::Value* iota(llvm::Type* element) const;                 // 0, 1, 2, ...

  llvm::Value* convert(DType from, DType to, llvm::Value* value);

 private:
  llvm::Value* value_of(const ExprNode* node);
  llvm::Value* compute(const ExprNode* node);
  llvm::Value* leaf(const ExprNode* node);
  llvm::Value* arithmetic(const ExprNode* node, llvm::Value* a, llvm::Value* b);
  llvm::Value* floating(const ExprNode* node, llvm::Value* a, llvm::Value* b);
  llvm::Value* integral(const ExprNode* node, llvm::Value* a, llvm::Value* b);
  llvm::Value* compare(const ExprNode* node, llvm::Value* a, llvm::Value* b);
  llvm::Value* smaller(const ExprNode* node, llvm::Value* a, llvm::Value* b);
  llvm::Value* float_extreme(const ExprNode* node, llvm::Value* a, llvm::Value* b);
  llvm::Value* divide(DType dtype, llvm::Value* a, llvm::Value* b);
  llvm::Value* shift(const ExprNode* node, llvm::Value* a, llvm::Value* n);
  llvm::Value* mul_high(llvm::Value* a, llvm::Value* b);
  llvm::Value* ldexp(DType dtype, llvm::Value* x, llvm::Value* n);
  llvm::Value* lookup(const ExprNode* node, llvm::Value* index);
  llvm::Value* permute(llvm::Constant* table, size_t entries, llvm::Value* index);
  llvm::Value* float_to_int(DType from, DType to, llvm::Value* x);
  llvm::Value* to_bf16(llvm::Value* x);
  llvm::Constant* bits(llvm::Type* type, uint64_t value) const;  // splat integer constant
  llvm::Value* call(llvm::Intrinsic::ID id, std::initializer_list<llvm::Value*> args);

  Builder& b_;
  const Machine& machine_;
  int lanes_;
  std::unordered_map<const ExprNode*, llvm::Value*> known_;
  std::unordered_map<uint32_t, llvm::Value*> inputs_;
  std::unordered_map<uint32_t, std::pair<llvm::Value*, llvm::Value*>> complex_;
};

}  // namespace weft::codegen
