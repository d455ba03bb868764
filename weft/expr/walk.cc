// Walks over expression DAGs.
#include "weft/expr/walk.h"

#include <algorithm>
#include <unordered_set>

#include "weft/base/error.h"

namespace weft {

std::vector<const ExprNode*> nodes_of(Expr root) {
  std::vector<const ExprNode*> stack{root.node()}, nodes;
  std::unordered_set<const ExprNode*> seen{root.node()};
  while (!stack.empty()) {
    const ExprNode* node = stack.back();
    stack.pop_back();
    nodes.push_back(node);
    for (int i = 0; i < node->arity; ++i) {
      if (seen.insert(node->args[i]).second) stack.push_back(node->args[i]);
    }
  }
  // Ids grow from arguments to users.
  std::ranges::sort(nodes, {}, &ExprNode::id);
  return nodes;
}

uint32_t inputs_read(Expr root) {
  uint32_t mask = 0;
  for (const ExprNode* node : nodes_of(root)) {
    if (node->op != ExprOp::kInput) continue;
    WEFT_ASSERT(node->index < 32, "input ", node->index);
    mask |= uint32_t{1} << node->index;
  }
  return mask;
}

}  // namespace weft
