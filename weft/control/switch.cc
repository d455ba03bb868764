// switch: one of several functions, chosen when it runs.
#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/control/switch_rules.h"
#include "weft/op/apply.h"

namespace weft {
namespace {

Types infer_switch(const SwitchAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.require(!at.branches.empty(), "branches", "needs at least one branch");
  cx.require(in[0].rank() == 0, "index", "the index has shape ", in[0].shape,
             "; it must be one number");
  require_saves(at, in.size() - 1, cx);
  return branch_types(at.branches, cx, in.subspan(1));
}

Tensors run(const SwitchAttrs& at, TensorSpan in, TypeSpan) {
  const int64_t taken = branch_taken(in[0].item_int(), static_cast<int64_t>(at.branches.size()));
  return ir::run(*at.branches[static_cast<size_t>(taken)], in.subspan(1));
}

std::optional<AnyAttrs> saving(const SavingCall& call) {
  return switch_saving(kSwitch, call, call.types.subspan(1));
}

Tensors vjp(const SwitchAttrs& at, const GradCtx& cx, TensorSpan g) {
  return switch_vjp(kSwitch, at, cx, types_of(cx.inputs.subspan(1)), g);
}

Tensors jvp(const SwitchAttrs& at, const GradCtx& cx, TensorSpan tangents) {
  return switch_jvp(kSwitch, at, cx, types_of(cx.inputs.subspan(1)), tangents);
}

Tensors batched(const SwitchAttrs& at, const BatchCtx& cx) {
  if (cx.batched[0]) {
    Tensors in;
    for (size_t i = 0; i < cx.inputs.size(); ++i) in.push_back(cx.with_batch_axis(i));
    return apply_prepared(kSwitchLanes, in, &at, cx.where);
  }
  const Types types = example_types(cx, 1);
  const Flags flags(cx.batched.begin() + 1, cx.batched.end());
  const auto make = [&](const FunctionAttr& branch) {
    return vmap_of(branch, flags, types, cx.size);
  };
  return chosen(kSwitch, at, make, cx.inputs[0], cx.inputs.subspan(1), cx.where);
}

}  // namespace

constinit const OpDef kSwitch{
    .name = "switch",
    .doc =
        "The function whose number is `index`, of the other inputs; the last one if there is no "
        "such number.",
    .inputs = {"index: integer", "operands...?: any"},
    .outputs = {"results: any"},
    .attrs = attrs_type<SwitchAttrs>(),
    .infer = rule<infer_switch>(),
    .grad = derive::rules<vjp, jvp>().saving_by(saving).going_on().except(
        0, "it is the number of a branch"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
};

}  // namespace weft
