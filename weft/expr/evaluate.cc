// A flat tape of nodes with reused slots; constants are filled in once.
#include "weft/expr/evaluate.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "weft/base/error.h"
#include "weft/expr/evaluate_block.h"
#include "weft/expr/walk.h"

namespace weft {

Evaluator::Evaluator(Expr root) : result_bytes_(size_of(root.dtype())) {
  if (is_complex(root.dtype())) {
    fail(Code::kType, "evaluate", "dtype", "the expression has dtype ", root.dtype(),
         "; evaluate its parts");
  }
  plan(root);
}

void Evaluator::plan(Expr root) {
  const std::vector<const ExprNode*> nodes = nodes_of(root);
  std::unordered_map<const ExprNode*, size_t> last_use, slots;
  std::vector<Step> constants;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (int k = 0; k < nodes[i]->arity; ++k) last_use[nodes[i]->args[k]] = i;
  }
  std::vector<size_t> free;
  size_t count = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Step step{nodes[i], 0, {}};
    for (int k = 0; k < nodes[i]->arity; ++k) step.args[k] = slots.at(nodes[i]->args[k]);
    // The result gets its slot before the arguments give theirs back: no step works in place.
    // A constant keeps a slot of its own, filled once.
    if (free.empty() || nodes[i]->op == ExprOp::kConst) free.push_back(count++);
    step.slot = slots[nodes[i]] = free.back();
    free.pop_back();
    for (int k = 0; k < nodes[i]->arity; ++k) {
      const ExprNode* arg = nodes[i]->args[k];
      if (arg->op == ExprOp::kConst || last_use.at(arg) != i) continue;
      if (std::ranges::find(free, slots.at(arg)) == free.end()) free.push_back(slots.at(arg));
    }
    (nodes[i]->op == ExprOp::kConst ? constants : steps_).push_back(step);
  }
  storage_.resize(count * kSlotWords);
  for (const Step& step : constants) {
    const void* none[3] = {};
    expr_internal::evaluate_block(*step.node, none, slot(step.slot), kBlock);
  }
  result_ = slots.at(root.node());
}

void Evaluator::run(std::initializer_list<const void*> inputs, void* out, size_t n) {
  for (size_t start = 0; start < n; start += kBlock) {
    const size_t length = std::min<size_t>(kBlock, n - start);
    for (const Step& step : steps_) {
      if (step.node->op == ExprOp::kInput) {
        WEFT_ASSERT(step.node->index < inputs.size(), "input ", step.node->index);
        const auto bytes = static_cast<size_t>(size_of(step.node->dtype));
        const auto* from = static_cast<const char*>(inputs.begin()[step.node->index]);
        std::memcpy(slot(step.slot), from + start * bytes, length * bytes);
        continue;
      }
      const void* args[3] = {slot(step.args[0]), slot(step.args[1]), slot(step.args[2])};
      expr_internal::evaluate_block(*step.node, args, slot(step.slot), static_cast<int>(length));
    }
    const auto bytes = static_cast<size_t>(result_bytes_);
    std::memcpy(static_cast<char*>(out) + start * bytes, slot(result_), length * bytes);
  }
}

}  // namespace weft
