// call: a function as one op.
#include <algorithm>

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
  require_places(at.wanted, in.size(), cx);
  return ir::result_types(*at.function, in);
}

Tensors run(const CallAttrs& at, TensorSpan in, TypeSpan) { return ir::run(*at.function, in); }

Tensors call(const FunctionAttr& function, TensorSpan in, Where where) {
  CallAttrs attrs;
  attrs.function = function;
  return apply_prepared(kCall, in, &attrs, where);
}

// With the forward half of the function in its place.
std::optional<AnyAttrs> saving(const void* request) {
  const SavingCall& call = saving_call(request);
  const auto& at = *static_cast<const CallAttrs*>(call.attrs);
  if (at.recomputes) return {};
  const Flags wanted(call.wanted.begin(), call.wanted.end());
  CallAttrs out;
  out.function = forward_of(at.function, wanted, call.types);
  out.saves_of = {at.function};
  out.wanted = places_of(wanted);
  return std::optional<AnyAttrs>(std::in_place, kCall.attrs, &out);
}

Tensors recomputing_vjp(const CallAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Flags wanted = wanted_flags(cx);
  Tensors in(cx.inputs);
  for (const Tensor& t : filled_cotangents(cx, g)) in.push_back(t);
  return spread(call(vjp_of(at.function, wanted, types_of(cx.inputs)), in, cx.where), wanted);
}

Tensors vjp(const CallAttrs& at, const GradCtx& cx, TensorSpan g) {
  if (at.saves_of.empty()) return recomputing_vjp(at, cx, g);
  const FunctionAttr& f = at.saves_of[0];
  const Flags given = active_flags(g.first(f->results.size()));
  const BackwardHalf back = backward_of(f, flags_of(at.wanted, cx.inputs.size()), at.function,
                                        given, types_of(cx.inputs));
  if (std::ranges::count(back.reached, true) == 0) return Tensors(cx.inputs.size());
  Tensors in(cx.inputs);
  for (const Tensor& t : cx.outputs) in.push_back(t);
  for (const Tensor& t : defined_only(g.first(given.size()))) in.push_back(t);
  return spread(call(back.function, in, cx.where), back.reached);
}

Tensors jvp(const CallAttrs& at, const GradCtx& cx, TensorSpan tangents) {
  Tensors in(cx.inputs);
  for (const Tensor& t : defined_only(tangents)) in.push_back(t);
  const Tensors all =
      call(jvp_of(at.function, active_flags(tangents), types_of(cx.inputs)), in, cx.where);
  return tangents_behind(all, cx.outputs);
}

Tensors batched(const CallAttrs& at, const BatchCtx& cx) {
  CallAttrs attrs;
  attrs.function =
      vmap_of(at.function, Flags(cx.batched.begin(), cx.batched.end()), example_types(cx), cx.size);
  attrs.recomputes = at.recomputes;
  return apply_prepared(kCall, cx.inputs, &attrs, cx.where);
}

}  // namespace

constinit const OpDef kCall{
    .name = "call",
    .doc = "Calls a function.",
    .inputs = {"arguments...?: any"},
    .outputs = {"results: any"},
    .attrs = attrs_type<CallAttrs>(),
    .infer = rule<infer_call>(),
    .grad = derive::rules<vjp, jvp>().saving_by(saving),
    .batch = batch::rule<batched>(),
    .kernel = kernel::run<run>(),
};

}  // namespace weft
