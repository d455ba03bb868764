// What a record keeps of an op, derived from the op's gradient rule.
#pragma once

#include "weft/op/op.h"

namespace weft {

struct GradNode;

// The fused backward ops of an op with partials, by the mask of wanted inputs.
struct GradPlan {
  struct Backward {
    uint32_t reads = 0;  // of (inputs..., output)
    const OpDef* op = nullptr;
  };
  std::array<Backward, 1 << GradRule::kMaxPartials> wanted{};
};
const GradPlan& make_grad_plan(const OpDef& op);
inline const GradPlan& grad_plan(const OpDef& op) {  // made once per op
  const GradPlan* const plan = op.grad_plan.load_acquire();
  return plan != nullptr ? *plan : make_grad_plan(op);
}

// Has the op inputs that no gradient reaches?
inline bool may_stop(const OpDef& op) {
  return op.grad.kind == GradKind::kNotDifferentiable || op.grad.stops[0].input >= 0;
}

// Which values the rule of an op reads, given the inputs whose cotangents are wanted.
class Savings {
 public:
  Savings(const OpDef& op, std::span<GradNode* const> links);

  bool input(size_t i) const {
    if (op_.grad.kind == GradKind::kLinear) {
      return may_stop(op_) && !no_gradient_reason(op_, i).empty();
    }
    return mask_ >> (i < kLast ? i : kLast) & 1;
  }
  bool outputs() const { return outputs_; }
  // Partials see nothing of an input they do not read; other rules may ask for its shape.
  bool needs_types() const { return op_.grad.kind != GradKind::kPartials && op_.grad.reads_types; }

 private:
  static constexpr size_t kLast = 31;
  const OpDef& op_;
  uint32_t mask_ = 0;
  bool outputs_ = false;
};

// A tensor that has a type and no value: what a rule sees of an input it said it does not read.
Tensor type_only(const Tensor& t);

}  // namespace weft
