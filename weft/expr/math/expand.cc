// expand_calls: replaces every Call by its expansion.
#include "weft/expr/math/expand.h"

#include <unordered_map>

#include "weft/base/error.h"
#include "weft/expr/fold.h"
#include "weft/expr/intern.h"
#include "weft/expr/walk.h"

namespace weft {
namespace expr_math {

Expr expand(Fn fn, Expr a, Expr b) {
  static_cast<void>(b);
  switch (fn) {
    default:
      fail(Code::kMissing, name_of(fn), "expansion", "there is no expansion for ", a.dtype(),
           " yet");
  }
}

}  // namespace expr_math

namespace {

// The node with other arguments: made anew, so that constants fold.
Expr rebuilt(const ExprNode& node, const Expr* args) {
  ExprNode copy = node;
  bool same = true;
  for (int i = 0; i < node.arity; ++i) {
    same = same && args[i].node() == node.args[i];
    copy.args[i] = args[i].node();
  }
  if (same) return Expr(&node);
  if (const auto folded = expr_internal::fold(copy)) return *folded;
  return expr_internal::intern(copy);
}

}  // namespace

Expr expand_calls(Expr root) {
  std::unordered_map<const ExprNode*, const ExprNode*> expanded;
  for (const ExprNode* node : nodes_of(root)) {
    Expr args[3] = {root, root, root};
    for (int i = 0; i < node->arity; ++i) args[i] = Expr(expanded.at(node->args[i]));
    const Expr result = node->op == ExprOp::kCall
                            ? expr_math::expand(node->fn, args[0], args[node->arity == 2 ? 1 : 0])
                            : rebuilt(*node, args);
    expanded.emplace(node, result.node());
  }
  return Expr(expanded.at(root.node()));
}

}  // namespace weft
