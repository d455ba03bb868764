// call: a function as one op.
#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/op/apply.h"

namespace weft {
namespace {

Types infer_call(const CallAttrs& at, const InferCtx&, TypeSpan in) {
  return ir::result_types(*at.function, in);
}

Tensors run(const CallAttrs& at, TensorSpan in, TypeSpan) { return ir::run(*at.function, in); }

Tensors call(const FunctionAttr& function, TensorSpan in, Where where) {
  const CallAttrs attrs{function};
  return apply_prepared(kCall, in, &attrs, where);
}

Tensors vjp(const CallAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Flags wanted = wanted_flags(cx);
  Tensors in(cx.inputs);
  for (const Tensor& t : filled_cotangents(cx, g)) in.push_back(t);
  return spread(call(vjp_of(at.function, wanted, types_of(cx.inputs)), in, cx.where), wanted);
}

Tensors jvp(const CallAttrs& at, const GradCtx& cx, TensorSpan tangents) {
  Tensors in(cx.inputs);
  for (const Tensor& t : defined_only(tangents)) in.push_back(t);
  const Tensors all =
      call(jvp_of(at.function, active_flags(tangents), types_of(cx.inputs)), in, cx.where);
  return tangents_behind(all, cx.outputs);
}

Tensors batched(const CallAttrs& at, const BatchCtx& cx) {
  const Flags flags(cx.batched.begin(), cx.batched.end());
  return call(vmap_of(at.function, flags, example_types(cx), cx.size), cx.inputs, cx.where);
}

}  // namespace

constinit const OpDef kCall{
    .name = "call",
    .doc = "Calls a function.",
    .inputs = {"arguments...?: any"},
    .outputs = {"results: any"},
    .attrs = attrs_type<CallAttrs>(),
    .infer = rule<infer_call>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::run<run>(),
};

}  // namespace weft
