// How a row kernel is cut into passes over its row.
#include "weft/codegen/row_plan.h"

namespace weft::codegen {

bool is_row_value(Expr e) {
  if (e->op == ExprOp::kReduce || e->op == ExprOp::kRowLength || e->op == ExprOp::kConst)
    return true;
  if (e->arity == 0) return false;
  for (int i = 0; i < e->arity; ++i) {
    if (!is_row_value(e.arg(i))) return false;
  }
  return true;
}

int64_t row_scratch_bytes(const KernelSpec&) { return 0; }

}  // namespace weft::codegen
