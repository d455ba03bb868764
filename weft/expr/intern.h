// The intern table behind Expr: one node for equal expressions, one number for equal tables.
#pragma once

#include <span>

#include "weft/expr/expr.h"

namespace weft::expr_internal {

// A node with everything empty but its op and dtype.
ExprNode blank(ExprOp op, DType dtype);

// The one node equal to `node` (its id is ignored), made on first use. Nodes live for ever.
Expr intern(const ExprNode& node);

// The number of the one table with these entries.
uint16_t intern_table(std::span<const uint64_t> entries);

}  // namespace weft::expr_internal
