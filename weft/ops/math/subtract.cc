// subtract: elementwise a - b.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Tensors transpose(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  return {g[0], cx.wanted[1] ? negative(g[0], cx.where) : Tensor()};
}

Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  if (t[0].defined() && t[1].defined()) return {subtract(t[0], t[1], cx.where)};
  const Tensor along = t[0].defined() ? t[0] : negative(t[1], cx.where);
  return {broadcast_to(along, Shape(cx.outputs[0].shape()), cx.where)};
}

Expr meaning(Expr a, Expr b) { return a - b; }

}  // namespace

constinit const OpDef kSubtract{
    .name = "subtract",
    .doc = "Elementwise `a - b`. Integers wrap around; bools are subtracted as int64.",
    .inputs = {"a: numeric", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::additive<transpose, jvp>().passing(0b01),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "subtract"}, Alias{"torch", "sub"}, Alias{"jax", "numpy.subtract"},
                 Alias{"tf", "subtract"}},
};

Tensor subtract(const Tensor& a, const Tensor& b, Where where) {
  return apply(kSubtract, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
