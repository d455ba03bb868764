// The loop shapes of the C printer.
#pragma once

#include "weft/codegen/c_values.h"

namespace weft::codegen {

std::string print_row(const KernelSpec& spec);
std::string print_row_reduce(const KernelSpec& spec);
std::string print_column_reduce(const KernelSpec& spec);
std::string print_scan(const KernelSpec& spec);

// Parts that maps and row kernels share: the function's head with a row loop, pointers and loads.
std::string c_row_pointer(const std::string& name, DType dtype, bool output, size_t operand);
std::string c_map_head(const KernelSpec& spec);
void c_load_inputs(CValues& values, const KernelSpec& spec,
                   const std::vector<const ExprNode*>& nodes);

}  // namespace weft::codegen
