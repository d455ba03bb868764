// Parts of reductions as C: states as arrays of 64 partial results.
#pragma once

#include "weft/codegen/c_values.h"

namespace weft::codegen {

struct CRegister {
  std::string name;
  DType dtype;
};
std::vector<CRegister> c_registers(const ReduceSpec& spec);

std::string c_combine_function(const std::string& name, const ReduceSpec& spec);
// NAME(&s0 AT_A, ..., s0 AT_B, ...);
std::string c_combine_call(const std::string& name, const ReduceSpec& spec, const std::string& a,
                           const std::string& b);
std::string c_identity(const ReduceSpec& spec, const std::string& indent, const std::string& at);
// Declares the arrays, filled with the identity.
std::string c_arrays(const ReduceSpec& spec, const std::string& indent);
std::string c_tree(const std::string& name, const ReduceSpec& spec, const std::string& indent);

}  // namespace weft::codegen
