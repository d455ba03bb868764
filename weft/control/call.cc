// call: a function as one op.
#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/op/apply.h"
#include "weft/op/record.h"

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
  Tensors out;
  size_t next = cx.outputs.size();
  for (const Tensor& t : cx.outputs) {
    out.push_back(is_differentiable(t.dtype()) ? all[next++] : Tensor());
  }
  return out;
}

Tensors batched(const CallAttrs& at, const BatchCtx& cx) {
  Types types;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    Type type = cx.inputs[i].type();
    if (cx.batched[i]) type.shape.erase(0);
    types.push_back(type);
  }
  const Flags flags(cx.batched.begin(), cx.batched.end());
  return call(vmap_of(at.function, flags, types, cx.size), cx.inputs, cx.where);
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
