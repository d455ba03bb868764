// Constant folding: only where the result has exactly the bits the node would compute.
#pragma once

#include <optional>

#include "weft/expr/expr.h"

namespace weft::expr_internal {

// What a node that is about to be made can be replaced by, or nothing.
std::optional<Expr> fold(const ExprNode& node);

}  // namespace weft::expr_internal
