// Derivatives of a choice: the same choice among the derivatives.
#include "weft/control/switch_rules.h"

#include <algorithm>

#include "weft/control/rules.h"
#include "weft/control/switch_halves.h"
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

void require_saves(const SwitchAttrs& at, size_t operands, const InferCtx& cx) {
  if (at.saves_of.empty()) return;
  bool fits = at.saves_of.size() == at.branches.size();
  for (size_t i = 0; fits && i < at.saves_of.size(); ++i) {
    fits = at.saves_of[i]->parameter_count() == operands &&
           at.saves_of[i]->results.size() <= at.branches[i]->results.size();
  }
  cx.require(fits, "saves_of", "the branches are no forward halves of those they save for");
  require_places(at.saves_for, operands, cx);
}

std::optional<AnyAttrs> switch_saving(const OpDef& op, const SavingCall& call, TypeSpan operands) {
  const auto& at = *static_cast<const SwitchAttrs*>(call.attrs);
  const Flags wanted(call.wanted.begin() + 1, call.wanted.end());
  const SwitchHalves halves(at.branches, wanted, operands);
  if (!halves.can_save()) return {};
  const SwitchAttrs out{halves.forward(), at.branches, places_of(wanted)};
  return std::optional<AnyAttrs>(std::in_place, op.attrs, &out);
}

namespace {

// Does a cotangent come to what is saved? So it is where a backward half is differentiated.
bool is_saved_followed(const SwitchAttrs& at, TensorSpan g) {
  const TensorSpan saved = g.subspan(at.saves_of[0]->results.size());
  return std::ranges::any_of(saved, [](const Tensor& t) { return t.defined(); });
}

Tensors saved_vjp(const OpDef& op, const SwitchAttrs& at, const GradCtx& cx, TypeSpan operands,
                  TensorSpan g) {
  const Flags wanted = flags_of(at.saves_for, operands.size());
  const SwitchHalves halves(at.saves_of, wanted, operands);
  const Flags given = active_flags(g.first(at.saves_of[0]->results.size()));
  const SwitchHalves::Backward back = halves.backward(given, begun_flags(cx, 1));
  if (std::ranges::count(back.reached, true) == 0) return Tensors(cx.inputs.size());
  const SwitchAttrs attrs{back.branches, {}, {}};
  Tensors in(cx.inputs);
  for (const Tensor& t : cx.outputs) in.push_back(t);
  for (const Tensor& t : defined_only(g.first(given.size()))) in.push_back(t);
  for (const Tensor& t : begun_sums(cx)) in.push_back(t);
  return spread(apply_prepared(op, in, &attrs, cx.where), back.reached, 1);
}

}  // namespace

Tensors switch_vjp(const OpDef& op, const SwitchAttrs& at, const GradCtx& cx, TypeSpan operands,
                   TensorSpan g) {
  // A choice that saves and could not be made to save for its own derivative is one as any other.
  if (!at.saves_of.empty() && !is_saved_followed(at, g)) return saved_vjp(op, at, cx, operands, g);
  const Flags wanted = wanted_flags(cx, 1);
  Tensors in(cx.inputs.subspan(1));
  for (const Tensor& t : filled_cotangents(cx, g)) in.push_back(t);
  for (const Tensor& t : begun_sums(cx)) in.push_back(t);
  const Flags begun = begun_flags(cx, 1);
  const auto make = [&](const FunctionAttr& branch) {
    return vjp_of(branch, wanted, operands, begun);
  };
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
