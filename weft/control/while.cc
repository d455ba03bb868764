// while: a loop whose number of steps is known when it has ended.
//
// The form that saves gives, behind what is carried: a row for each step (without memory), and what
// was carried at every 2^k-th step, stacked.
#include "weft/control/while.h"

#include "weft/control/loop.h"
#include "weft/control/rules.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/record.h"
#include "weft/op/saving.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/trace/quiet.h"

namespace weft {
namespace {

Types infer_while(const WhileAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.require(at.carries >= 0 && carries_of(at) <= in.size(), "carries", "carries ", at.carries,
             " of ", in.size(), " inputs");
  require_loop(at.cond, at.body, carries_of(at), cx, in);
  Types out(in.first(carries_of(at)).begin(), in.first(carries_of(at)).end());
  if (!at.saves) return out;
  out.push_back({DType::kBool, {Dim::symbol("?steps")}});
  for (size_t k = 0; k < carries_of(at); ++k) {
    Type type = in[k];
    type.shape.insert(0, Dim::symbol("?kept"));
    out.push_back(type);
  }
  return out;
}

std::optional<AnyAttrs> saving(const SavingCall& call) {
  WhileAttrs at = *static_cast<const WhileAttrs*>(call.attrs);
  if (at.saves) return {};
  at.saves = true;
  return std::optional<AnyAttrs>(std::in_place, kWhile.attrs, &at);
}

// What was kept has no derivative of its own: only while.vjp reads it, and the derivatives of that
// go by a formula of the loop's inputs. A cotangent of it stands for none, where a function derived
// from one that saves (its batch, its tangents, its own forward half) is asked about all results.
Tensors vjp(const WhileAttrs& at, const GradCtx& cx, TensorSpan g) {
  const size_t count = carries_of(at);
  Tensors in;
  for (size_t k = 0; k < count; ++k) {
    if (!is_differentiable(cx.outputs[k].dtype())) continue;
    in.push_back(g[k].defined()
                     ? g[k]
                     : zeros(Shape(cx.outputs[k].shape()), cx.outputs[k].dtype(), cx.where));
  }
  return while_vjp(at, cx, in, cx.outputs.subspan(count));
}

Tensors jvp(const WhileAttrs& at, const GradCtx& cx, TensorSpan tangents) {
  const size_t count = carries_of(at);
  WithTangents both(cx, tangents, count);
  const size_t carries = both.add(0, count);
  both.add(count, cx.inputs.size());
  const Types types = types_of(cx.inputs);
  const std::vector<Type> parameters = both.parameters(*at.body);
  WhileAttrs attrs = at;
  attrs.carries = static_cast<int64_t>(carries);
  attrs.body = derived(at.body, derived_key("forward_step", both.active()), types, parameters,
                       [&](TensorSpan given) {
                         const FunctionAttr step = jvp_of(at.body, both.active(), types);
                         return ir::inlined(*step, both.values_and_tangents(given), Where());
                       });
  attrs.cond = derived(
      at.cond, derived_key("forward_test", both.active()), types, parameters,
      [&](TensorSpan given) { return ir::inlined(*quiet(at.cond), both.values(given), Where()); });
  const Tensors out = apply_prepared(kWhile, both.inputs(), &attrs, cx.where);

  Tensors result;
  const auto take = [&](size_t first, size_t values) {
    size_t next = values + count;
    for (size_t k = 0; k < count; ++k) {
      const bool has_one = is_differentiable(cx.outputs[first + k].dtype());
      result.push_back(has_one ? out[next++] : Tensor());
    }
  };
  take(0, 0);
  if (at.saves) {
    result.push_back(Tensor());
    take(count + 1, carries + 1);
  }
  return result;
}

// The loop goes on while any example does; the body runs on those that do.
Tensors batched(const WhileAttrs& at, const BatchCtx& cx) {
  const BatchedLoop loop(at, cx);
  WhileAttrs attrs = at;
  attrs.cond = loop.cond;
  attrs.body = loop.body;
  Tensors out = apply_prepared(kWhile, loop.inputs, &attrs, cx.where);
  const size_t count = carries_of(at);
  if (at.saves) {
    Shape shape{cx.size};
    for (const Dim dim : out[count].shape()) shape.push_back(dim);
    out[count] = broadcast_to(out[count], shape, cx.where);
    for (size_t k = count + 1; k < out.size(); ++k) {
      out[k] = moveaxis(out[k], Ints{1}, Ints{0}, cx.where);
    }
  }
  return out;
}

}  // namespace

constinit const OpDef kWhile{
    .name = "while",
    .doc = "Runs a function of what it carries as long as another one says so.",
    .inputs = {"operands...?: any"},
    .outputs = {"results: any"},
    .attrs = attrs_type<WhileAttrs>(),
    .infer = rule<infer_while>(),
    .grad = derive::rules<vjp, jvp>().saving_by(saving).going_on(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run_while>(),
};

}  // namespace weft
