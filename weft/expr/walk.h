// Orders the nodes of an expression so that arguments come before their users.
#pragma once

#include <vector>

#include "weft/expr/expr.h"

namespace weft {

// Every node below and including `root`, once, arguments first; `root` is the last.
std::vector<const ExprNode*> nodes_of(Expr root);

}  // namespace weft
