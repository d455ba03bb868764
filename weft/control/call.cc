// call: a function as one op.
#include <algorithm>

#include "weft/control/call_rules.h"
#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/op/apply.h"
#include "weft/op/saving.h"
#include "weft/trace/halves.h"

namespace weft {
namespace {

Types infer_call(const CallAttrs& at, const InferCtx& cx, TypeSpan in) {
  for (const FunctionAttr& f : at.saves_of) {
    cx.require(
        f->parameter_count() == in.size() && f->results.size() <= at.function->results.size(),
        "saves_of", at.function->name, " is no forward half of ", f->name);
  }
  require_places(at.saves_for, in.size(), cx);
  return ir::result_types(*at.function, in);
}

Tensors run(const CallAttrs& at, TensorSpan in, TypeSpan) { return ir::run(*at.function, in); }

// With the forward half of the function in its place.
std::optional<AnyAttrs> saving(const SavingCall& call) {
  const auto& at = *static_cast<const CallAttrs*>(call.attrs);
  const Flags wanted(call.wanted.begin(), call.wanted.end());
  CallAttrs out;
  out.function = forward_of(at.function, wanted, call.types);
  out.saves_of = {at.function};
  out.saves_for = places_of(wanted);
  return std::optional<AnyAttrs>(std::in_place, kCall.attrs, &out);
}

Tensors vjp(const CallAttrs& at, const GradCtx& cx, TensorSpan g) {
  if (at.saves_of.empty()) return recomputing_vjp(at.function, cx, g);
  const FunctionAttr& f = at.saves_of[0];
  const Flags given = active_flags(g.first(f->results.size()));
  const BackwardHalf back = backward_of(f, flags_of(at.saves_for, cx.inputs.size()), at.function,
                                        given, types_of(cx.inputs), begun_flags(cx));
  if (std::ranges::count(back.reached, true) == 0) return Tensors(cx.inputs.size());
  Tensors in(cx.inputs);
  for (const Tensor& t : cx.outputs) in.push_back(t);
  for (const Tensor& t : defined_only(g.first(given.size()))) in.push_back(t);
  for (const Tensor& t : begun_sums(cx)) in.push_back(t);
  return spread(call_function(back.function, in, cx.where), back.reached);
}

Tensors jvp(const CallAttrs& at, const GradCtx& cx, TensorSpan tangents) {
  return called_jvp(at.function, cx, tangents);
}

Tensors batched(const CallAttrs& at, const BatchCtx& cx) {
  CallAttrs attrs;
  attrs.function = called_batch(at.function, cx);
  return apply_prepared(kCall, cx.inputs, &attrs, cx.where);
}

}  // namespace

Tensors call_function(const FunctionAttr& function, TensorSpan in, Where where) {
  CallAttrs attrs;
  attrs.function = function;
  return apply_prepared(kCall, in, &attrs, where);
}

constinit const OpDef kCall{
    .name = "call",
    .doc = "Calls a function.",
    .inputs = {"arguments...?: any"},
    .outputs = {"results: any"},
    .attrs = attrs_type<CallAttrs>(),
    .infer = rule<infer_call>(),
    .grad = derive::rules<vjp, jvp>().saving_by(saving).going_on(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
};

}  // namespace weft
