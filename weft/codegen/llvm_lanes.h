// How many lanes a kernel has, and complex values as pairs of lanes.
#pragma once

#include <vector>

#include "weft/codegen/kernel_spec.h"
#include "weft/codegen/llvm_function.h"

namespace weft::codegen {

// Lanes of one vector register, by the size that most of the work has.
int lanes_for(const Machine& machine, const std::vector<const ExprNode*>& nodes,
              const std::vector<Operand>& inputs);

// The value of an output: its parts if it is complex.
LaneValue lane_value(Values& values, Expr out);

void bind_input(Values& values, uint32_t index, const LaneValue& value);

}  // namespace weft::codegen
