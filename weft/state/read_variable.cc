// read_variable: the value a Variable has when the graph runs.
#include "weft/op/variable_state.h"
#include "weft/state/state.h"

namespace weft {
namespace {

Types infer_read(const VariableAttrs& at, const InferCtx& cx, TypeSpan) {
  cx.require(at.variable.defined(), "variable", "needs a Variable");
  return {{at.variable.dtype(), at.variable.shape()}};
}

Tensors run(const VariableAttrs& at, TensorSpan, TypeSpan) { return {stored_value(at.variable)}; }

Tensors batched(const VariableAttrs& at, const BatchCtx& cx) {
  *cx.is_shared = true;
  return {at.variable.read()};
}

}  // namespace

constinit const OpDef kReadVariable{
    .name = "read_variable",
    .doc = "The value a Variable has when the graph runs.",
    .inputs = {},
    .outputs = {"out: any"},
    .attrs = attrs_type<VariableAttrs>(),
    .infer = rule<infer_read>(),
    .grad = derive::not_differentiable("it begins at a Variable"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
    .effect = Effect::kReads,
};

}  // namespace weft
