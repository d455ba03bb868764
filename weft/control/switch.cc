// switch: one of several functions, chosen when it runs.
#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/op/apply.h"
#include "weft/op/record.h"

namespace weft {
namespace {

Types infer_switch(const SwitchAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.require(!at.branches.empty(), "branches", "needs at least one branch");
  cx.require(in[0].rank() == 0, "index", "the index has shape ", in[0].shape,
             "; it must be one number");
  return branch_types(at.branches, cx, in.subspan(1));
}

Tensors run(const SwitchAttrs& at, TensorSpan in, TypeSpan) {
  const int64_t last = static_cast<int64_t>(at.branches.size()) - 1;
  const int64_t index = in[0].item_int();
  return ir::run(*at.branches[static_cast<size_t>(index < 0 || index > last ? last : index)],
                 in.subspan(1));
}

// The same choice among functions made of the branches.
template <class Make>
Tensors chosen(const SwitchAttrs& at, const Make& make, const Tensor& index, TensorSpan operands,
               const OpDef& op, Where where) {
  SwitchAttrs attrs;
  for (const FunctionAttr& branch : at.branches) attrs.branches.push_back(make(branch));
  Tensors in{index};
  for (const Tensor& t : operands) in.push_back(t);
  return apply_prepared(op, in, &attrs, where);
}

Tensors vjp(const SwitchAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Flags wanted = wanted_flags(cx, 1);
  const Types types = types_of(cx.inputs.subspan(1));
  Tensors in(cx.inputs.subspan(1));
  for (const Tensor& t : filled_cotangents(cx, g)) in.push_back(t);
  const auto make = [&](const FunctionAttr& branch) { return vjp_of(branch, wanted, types); };
  return spread(chosen(at, make, cx.inputs[0], in, kSwitch, cx.where), wanted, 1);
}

Tensors jvp(const SwitchAttrs& at, const GradCtx& cx, TensorSpan tangents) {
  const Flags active = active_flags(tangents, 1);
  const Types types = types_of(cx.inputs.subspan(1));
  Tensors in(cx.inputs.subspan(1));
  for (const Tensor& t : defined_only(tangents, 1)) in.push_back(t);
  const auto make = [&](const FunctionAttr& branch) { return jvp_of(branch, active, types); };
  const Tensors all = chosen(at, make, cx.inputs[0], in, kSwitch, cx.where);
  Tensors out;
  size_t next = cx.outputs.size();
  for (const Tensor& t : cx.outputs) {
    out.push_back(is_differentiable(t.dtype()) ? all[next++] : Tensor());
  }
  return out;
}

Tensors batched(const SwitchAttrs& at, const BatchCtx& cx) {
  if (cx.batched[0]) {
    Tensors in;
    for (size_t i = 0; i < cx.inputs.size(); ++i) in.push_back(cx.with_batch_axis(i));
    return apply_prepared(kSwitchLanes, in, &at, cx.where);
  }
  Types types;
  for (size_t i = 1; i < cx.inputs.size(); ++i) {
    Type type = cx.inputs[i].type();
    if (cx.batched[i]) type.shape.erase(0);
    types.push_back(type);
  }
  const Flags flags(cx.batched.begin() + 1, cx.batched.end());
  const auto make = [&](const FunctionAttr& branch) {
    return vmap_of(branch, flags, types, cx.size);
  };
  return chosen(at, make, cx.inputs[0], cx.inputs.subspan(1), kSwitch, cx.where);
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
    .grad = derive::rules<vjp, jvp>().except(0, "it is the number of a branch"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::run<run>(),
};

}  // namespace weft
