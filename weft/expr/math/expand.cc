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
  switch (fn) {
    case Fn::kExp: return expand_exp(a);
    case Fn::kExpm1: return expand_expm1(a);
    case Fn::kExp2: return expand_exp2(a);
    case Fn::kLog: return expand_log(a);
    case Fn::kLog1p: return expand_log1p(a);
    case Fn::kLog2: return expand_log2(a);
    case Fn::kLog10: return expand_log10(a);
    case Fn::kSin: return expand_sin(a);
    case Fn::kCos: return expand_cos(a);
    case Fn::kTan: return expand_tan(a);
    case Fn::kAsin: return expand_asin(a);
    case Fn::kAcos: return expand_acos(a);
    case Fn::kAtan: return expand_atan(a);
    case Fn::kSinh: return expand_sinh(a);
    case Fn::kCosh: return expand_cosh(a);
    case Fn::kTanh: return expand_tanh(a);
    case Fn::kSigmoid: return expand_sigmoid(a);
    case Fn::kErf: return expand_erf(a);
    case Fn::kErfc: return expand_erfc(a);
    case Fn::kPow: return expand_pow(a, b);
    case Fn::kCbrt: return expand_cbrt(a);
    case Fn::kAsinh: return expand_asinh(a);
    case Fn::kAcosh: return expand_acosh(a);
    case Fn::kAtanh: return expand_atanh(a);
    case Fn::kErfinv: return expand_erfinv(a);
    case Fn::kLgamma: return expand_lgamma(a);
    case Fn::kDigamma: return expand_digamma(a);
  }
  fail(Code::kInternal, "expand", "fn", "function ", static_cast<int>(fn), " does not exist");
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
