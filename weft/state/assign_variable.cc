// assign_variable: gives a Variable a value when the graph runs, and hands that value on.
#include "weft/base/error.h"
#include "weft/core/arena_memory.h"
#include "weft/state/state.h"

namespace weft {
namespace {

Types infer_assign(const VariableAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.require(at.variable.defined(), "variable", "needs a Variable");
  const Type place{at.variable.dtype(), at.variable.shape()};
  cx.require_type(place.dtype == in[0].dtype && same(place.shape, in[0].shape) != Tri::kNo, "type",
                  "the Variable ", at.variable.name(), " holds ", place, " but the value is ",
                  in[0], "; a Variable keeps its dtype and shape");
  return {in[0]};
}

Tensors run(const VariableAttrs& at, TensorSpan in, TypeSpan) {
  at.variable.assign(copied_out_of_arena(in[0]));
  return {in[0]};
}

Tensors batched(const VariableAttrs&, const BatchCtx&) {
  fail(Code::kInvalid, "assign", "batched",
       "the value is batched by vmap, and a Variable holds one value; reduce over the batch first");
}

}  // namespace

ir::NodeId writer_of(const ir::Graph& graph, const ir::Node& node) {
  const bool has_one = node.op == &kAssignVariable &&
                       static_cast<const VariableAttrs*>(node.attributes())->with_maker;
  return has_one ? graph.value(node.inputs[0]).maker : ir::kNone;
}

constinit const OpDef kAssignVariable{
    .name = "assign_variable",
    .doc = "Gives a Variable a value when the graph runs, and hands that value on.",
    .inputs = {"value: any"},
    .outputs = {"out: like value"},
    .attrs = attrs_type<VariableAttrs>(),
    .infer = rule<infer_assign>(),
    .grad = derive::not_differentiable("an assignment cuts history"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
    .effect = Effect::kWrites,
};

}  // namespace weft
