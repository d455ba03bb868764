// constant: a value that is part of the graph.
#include "weft/state/state.h"

namespace weft {
namespace {

Types infer_constant(const ConstantAttrs& at, const InferCtx& cx, TypeSpan) {
  cx.require(at.value.defined() && at.value.is_concrete(), "value", "needs a value");
  return {at.value.type()};
}

Tensors run(const ConstantAttrs& at, TensorSpan, TypeSpan) { return {at.value}; }

Tensors batched(const ConstantAttrs& at, const BatchCtx& cx) {
  *cx.is_shared = true;
  return {at.value};
}

}  // namespace

constinit const OpDef kConstant{
    .name = "constant",
    .doc = "A value that is part of the graph.",
    .inputs = {},
    .outputs = {"out: any"},
    .attrs = attrs_type<ConstantAttrs>(),
    .infer = rule<infer_constant>(),
    .grad = derive::not_differentiable("it is a constant"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
};

}  // namespace weft
