// How many lanes a kernel has, and complex values as pairs of lanes.
#include "weft/codegen/llvm_lanes.h"

#include "weft/base/error.h"

namespace weft::codegen {

int lanes_for(const Machine& machine, const std::vector<const ExprNode*>& nodes,
              const std::vector<Operand>& inputs) {
  int count[9] = {};  // nodes by size
  for (const ExprNode* node : nodes) {
    const bool works = node->op != ExprOp::kConst && node->dtype != DType::kBool;
    if (works) ++count[std::min<int64_t>(size_of(real_of(node->dtype)), 8)];
  }
  for (const Operand& in : inputs) ++count[std::min<int64_t>(size_of(real_of(in.dtype)), 8)];
  if (count[8] > count[4] && count[8] > 0) return machine.lanes(8);
  if (count[8] + count[4] > 0) return machine.lanes(4);
  return machine.lanes(count[2] > 0 ? 2 : 1);
}

LaneValue lane_value(Values& values, Expr out) {
  if (!is_complex(out.dtype())) return {values(out)};
  WEFT_ASSERT(out->op == ExprOp::kComplex, "complex output that is not a pair: ", to_string(out));
  return {values(out.arg(0)), values(out.arg(1))};
}

void bind_input(Values& values, uint32_t index, const LaneValue& value) {
  if (value.imag) {
    values.bind_complex(index, value.real, value.imag);
  } else {
    values.bind_input(index, value.real);
  }
}

}  // namespace weft::codegen
