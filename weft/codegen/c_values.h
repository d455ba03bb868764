// Expr nodes as C statements: one local constant a node.
#pragma once

#include <string>
#include <unordered_map>

#include "weft/codegen/kernel_spec.h"

namespace weft::codegen {

// The C type of a value in a register, and of an element in memory.
const char* c_type(DType dtype);
const char* c_memory_type(DType dtype);  // complex: the type of a part

// Appends statements to `code`; every node is computed once.
class CValues {
 public:
  // Locals are named <prefix>0, <prefix>1, ...
  explicit CValues(std::string& code, std::string indent = "    ", std::string prefix = "t")
      : code_(code), indent_(std::move(indent)), prefix_(std::move(prefix)) {}

  void bind(const ExprNode* node, std::string name) { known_[node] = std::move(name); }
  std::string name_of(const ExprNode* node) const { return known_.at(node); }
  // Binds a node to a new local with this value.
  void load_local(const ExprNode* node, const std::string& value);
  // The name of a local that holds the value.
  std::string operator()(Expr e);

  // Loads element `index` of the input at the C pointer `pointer` and binds the nodes that read it.
  void load_input(const std::vector<const ExprNode*>& nodes, uint32_t input, DType dtype,
                  const std::string& pointer, const std::string& index);
  // Stores with NaN made the one quiet NaN.
  void store(Expr out, const std::string& pointer, const std::string& index);

 private:
  std::string expression(const ExprNode* node);
  std::string numeric(const ExprNode* node, const std::string* args);
  std::string cast(DType from, DType to, const std::string& x);

  // Names count within the function, so that other kernels do not change this one's text.
  std::string fresh() { return prefix_ + std::to_string(next_++); }

  std::string& code_;
  std::string indent_, prefix_;
  int next_ = 0;
  std::unordered_map<const ExprNode*, std::string> known_;
};

// What every printed source starts with: conversions, minimum, division and so on.
std::string c_prelude();
// Definitions of the lookup tables the specs use.
std::string c_tables(std::span<const KernelSpec> specs);

}  // namespace weft::codegen
