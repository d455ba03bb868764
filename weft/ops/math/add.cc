// add: elementwise a + b.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a.dtype() == DType::kBool ? a | b : a + b; }

Tensors transpose(const NoAttrs&, const GradCtx&, TensorSpan g) { return {g[0], g[0]}; }

Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  if (t[0].defined() && t[1].defined()) return {add(t[0], t[1], cx.where)};
  return {broadcast_to(t[0].defined() ? t[0] : t[1], Shape(cx.outputs[0].shape()), cx.where)};
}

}  // namespace

constinit const OpDef kAdd{
    .name = "add",
    .doc = "Elementwise `a + b`. Integers wrap around; bool adds as logical or.",
    .inputs = {"a: any", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::additive<transpose, jvp>().passing(0b11),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "add"}, Alias{"torch", "add"}, Alias{"jax", "numpy.add"},
                 Alias{"tf", "add"}},
    .commutative = true,
    .associative = true,
};

Tensor add(const Tensor& a, const Tensor& b, Where where) {
  return apply(kAdd, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
