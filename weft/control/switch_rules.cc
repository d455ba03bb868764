// Derivatives of a choice: the same choice among the derivatives.
#include "weft/control/switch_rules.h"

#include "weft/control/rules.h"
#include "weft/op/apply.h"

namespace weft {

Tensors chosen(const OpDef& op, const SwitchAttrs& at,
               FunctionRef<FunctionAttr(const FunctionAttr&)> make, const Tensor& index,
               TensorSpan operands, Where where) {
  SwitchAttrs attrs;
  for (const FunctionAttr& branch : at.branches) attrs.branches.push_back(make(branch));
  Tensors in{index};
  for (const Tensor& t : operands) in.push_back(t);
  return apply_prepared(op, in, &attrs, where);
}

Tensors switch_vjp(const OpDef& op, const SwitchAttrs& at, const GradCtx& cx, TypeSpan operands,
                   TensorSpan g) {
  const Flags wanted = wanted_flags(cx, 1);
  Tensors in(cx.inputs.subspan(1));
  for (const Tensor& t : filled_cotangents(cx, g)) in.push_back(t);
  const auto make = [&](const FunctionAttr& branch) { return vjp_of(branch, wanted, operands); };
  return spread(chosen(op, at, make, cx.inputs[0], in, cx.where), wanted, 1);
}

Tensors switch_jvp(const OpDef& op, const SwitchAttrs& at, const GradCtx& cx, TypeSpan operands,
                   TensorSpan tangents) {
  const Flags active = active_flags(tangents, 1);
  Tensors in(cx.inputs.subspan(1));
  for (const Tensor& t : defined_only(tangents, 1)) in.push_back(t);
  const auto make = [&](const FunctionAttr& branch) { return jvp_of(branch, active, operands); };
  return tangents_behind(chosen(op, at, make, cx.inputs[0], in, cx.where), cx.outputs);
}

}  // namespace weft
