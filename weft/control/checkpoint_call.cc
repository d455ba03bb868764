// checkpoint_call: a function as one op, of which derivatives keep the inputs only.
#include "weft/control/call_rules.h"
#include "weft/control/rules.h"
#include "weft/op/apply.h"

namespace weft {

Tensors recomputing_vjp(const FunctionAttr& function, const GradCtx& cx, TensorSpan g) {
  const Flags wanted = wanted_flags(cx);
  Tensors in(cx.inputs);
  for (const Tensor& t : filled_cotangents(cx, g)) in.push_back(t);
  for (const Tensor& t : begun_sums(cx)) in.push_back(t);
  const FunctionAttr back = vjp_of(function, wanted, types_of(cx.inputs), begun_flags(cx));
  return spread(call_function(back, in, cx.where), wanted);
}

Tensors called_jvp(const FunctionAttr& function, const GradCtx& cx, TensorSpan tangents) {
  Tensors in(cx.inputs);
  for (const Tensor& t : defined_only(tangents)) in.push_back(t);
  const FunctionAttr forward = jvp_of(function, active_flags(tangents), types_of(cx.inputs));
  return tangents_behind(call_function(forward, in, cx.where), cx.outputs);
}

FunctionAttr called_batch(const FunctionAttr& function, const BatchCtx& cx) {
  return vmap_of(function, Flags(cx.batched.begin(), cx.batched.end()), example_types(cx), cx.size);
}

namespace {

Types infer_call(const CheckpointCallAttrs& at, const InferCtx&, TypeSpan in) {
  return ir::result_types(*at.function, in);
}

Tensors run(const CheckpointCallAttrs& at, TensorSpan in, TypeSpan) {
  return ir::run(*at.function, in);
}

Tensors vjp(const CheckpointCallAttrs& at, const GradCtx& cx, TensorSpan g) {
  return recomputing_vjp(at.function, cx, g);
}

Tensors jvp(const CheckpointCallAttrs& at, const GradCtx& cx, TensorSpan tangents) {
  return called_jvp(at.function, cx, tangents);
}

Tensors batched(const CheckpointCallAttrs& at, const BatchCtx& cx) {
  const CheckpointCallAttrs attrs{called_batch(at.function, cx)};
  return apply_prepared(kCheckpointCall, cx.inputs, &attrs, cx.where);
}

}  // namespace

constinit const OpDef kCheckpointCall{
    .name = "checkpoint_call",
    .doc = "Calls a function that its derivatives compute again.",
    .inputs = {"arguments...?: any"},
    .outputs = {"results: any"},
    .attrs = attrs_type<CheckpointCallAttrs>(),
    .infer = rule<infer_call>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
};

}  // namespace weft
