// assert_true: raises when the graph runs and the condition is false.
#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/state/filled_text.h"
#include "weft/state/state.h"

namespace weft {
namespace {

Types infer_assert(const AssertAttrs&, const InferCtx& cx, TypeSpan in) {
  cx.require(in[0].rank() == 0, "condition", "the condition has shape ", in[0].shape,
             "; it must be one value: reduce it with all");
  return {in[0]};
}

Tensors run(const AssertAttrs& at, TensorSpan in, TypeSpan) {
  if (in[0].item_int() == 0) {
    const std::string message =
        in.size() == 1 ? at.message : filled_text(at.message, in.subspan(1));
    fail(Code::kInvalid, "assert", "holds", message.empty() ? "the condition is false" : message);
  }
  return {in[0]};
}

// It holds if it holds for every example.
Tensors batched(const AssertAttrs& at, const BatchCtx& cx) {
  *cx.is_shared = true;
  Tensors in(cx.inputs);
  if (cx.batched[0]) in[0] = all(in[0], Ints{0}, false, cx.where);
  return apply_prepared(kAssertTrue, in, &at, cx.where);
}

}  // namespace

constinit const OpDef kAssertTrue{
    .name = "assert_true",
    .doc = "Raises when the graph runs and the condition is false.",
    .inputs = {"condition: boolean", "values...?: any"},
    .outputs = {"out: like condition"},
    .attrs = attrs_type<AssertAttrs>(),
    .infer = rule<infer_assert>(),
    .grad = derive::not_differentiable("it is a check"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
    .effect = Effect::kOutside,
};

void assert_true(const Tensor& condition, std::string message, TensorSpan values, Where where) {
  const AssertAttrs attrs{std::move(message)};
  Tensors in{condition};
  for (const Tensor& t : values) in.push_back(t);
  apply_prepared(kAssertTrue, in, &attrs, where);
}

void assert_true(const Tensor& condition, std::string message, Where where) {
  assert_true(condition, std::move(message), {}, where);
}

}  // namespace weft
