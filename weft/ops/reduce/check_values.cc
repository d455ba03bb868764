// check.values: returns its first input, after checking that the values of the others satisfy a
// law.
#include "weft/ops/reduce/check_values.h"

#include "weft/op/apply.h"
#include "weft/op/record.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

constexpr const ValueCheck* kValueChecks[] = {
    &kBernoulliP,        &kBincountRange, &kCategoricalLogits, &kChoiceWeights,
    &kCorrcoefVariables, &kCovVariables,  &kHistogramEdges,    &kHistogramRange,
    &kPercentileQ,       &kQuantileQ,     &kUniformInterval,
};

struct CheckAttrs {
  std::string check;
  Ints numbers;
  static constexpr auto fields =
      fields_of(field("check", &CheckAttrs::check, "the law, as op.law"),
                field("numbers", &CheckAttrs::numbers, "what the law compares with"));
};

std::string name_of(const ValueCheck& check) { return text(check.op, '.', check.law); }

const ValueCheck& check_named(const InferCtx& cx, const std::string& name) {
  for (const ValueCheck* const check : kValueChecks) {
    if (name_of(*check) == name) return *check;
  }
  fail(Code::kInvalid, cx.op, "check", "there is no check '", name,
       "'; load the graph with the version of Weft that saved it");
}

Types infer_check(const CheckAttrs& at, const InferCtx& cx, TypeSpan in) {
  check_named(cx, at.check);
  return {in[0]};
}

Tensors run_check(const CheckAttrs& at, TensorSpan in, TypeSpan) {
  const ValueCheck& check = check_named(InferCtx{"check.values"}, at.check);
  check.require(InferCtx{check.op}, in.size() == 1 ? in : in.subspan(1), at.numbers);
  return {in[0]};
}

// Checks read the last axes, or all elements, so a batch is one more leading axis. Several values
// broadcast with each other, so they need batch axes in the same position.
Tensors batched_check(const CheckAttrs& at, const BatchCtx& cx) {
  *cx.is_shared = !cx.batched[0];
  Tensors in(cx.inputs);
  int64_t rank = 0;
  for (size_t i = 1; i < in.size(); ++i) {
    if (in.size() > 2) in[i] = cx.with_batch_axis(i);
    rank = std::max(rank, in[i].rank());
  }
  for (size_t i = 1; i < in.size() && in.size() > 2; ++i) {
    while (in[i].rank() < rank) in[i] = expand_dims(in[i], 1, cx.where);
  }
  return apply_prepared(kCheckValues, in, &at, cx.where);
}

Tensors check_vjp(const CheckAttrs&, const GradCtx& cx, TensorSpan cotangents) {
  Tensors out(cx.inputs.size());
  out[0] = cotangents[0];
  return out;
}

Tensors check_jvp(const CheckAttrs&, const GradCtx&, TensorSpan tangents) { return {tangents[0]}; }

}  // namespace

Tensor checked(const ValueCheck& check, const Tensor& x, const Tensors& values,
               const Ints& numbers) {
  Tensors all{x}, known;
  for (const Tensor& t : values) all.push_back(t);
  for (const Tensor& t : values.empty() ? TensorSpan(all) : TensorSpan(values)) {
    known.push_back(value_under(t));
  }
  if (std::ranges::all_of(known, [](const Tensor& t) { return t.defined(); })) {
    const ScopeIs now(nullptr);
    check.require(InferCtx{check.op}, known, numbers);
    return x;
  }
  const CheckAttrs attrs{name_of(check), numbers};
  return apply_prepared(kCheckValues, all, &attrs, Where::here())[0];
}

constinit const OpDef kCheckValues{
    .name = "check.values",
    .doc =
        "Its first input, once the values of the others, or its own, satisfy a law of another op: "
        "how laws about values are checked that only a run knows.",
    .inputs = {"x: any", "values...?: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<CheckAttrs>(),
    .laws = {Law{"check", "the check is one of this version"}},
    .infer = rule<infer_check>(),
    .grad = derive::rules<check_vjp, check_jvp>().reading(0, false),
    .batch = batch::rule<batched_check>(),
    .kernel = kernel::host<run_check>(),
};

}  // namespace weft
