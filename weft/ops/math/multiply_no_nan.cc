// multiply_no_nan: a * b, and 0 wherever b is 0. Chain rules multiply with it.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) {
  const Expr product = a * b;
  return where(b == Expr::constant(b.dtype(), 0), Expr::constant(product.dtype(), 0), product);
}

// b times a change of a: 0 where b is 0, as in the op, and where nothing changes, even if b is
// infinite.
Tensor scaled(const Tensor& change, const Tensor& b, Where line) {
  const Tensor product = multiply_no_nan(change, b, line);
  return where(equal(change, 0, line), 0, product, line);
}

// Linear in each input. A cotangent of 0 gives 0 to both, whatever the other factor is.
Tensors transpose(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  Tensors out(2);
  if (cx.wanted[0]) out[0] = scaled(g[0], conj(cx.inputs[1], cx.where), cx.where);
  if (cx.wanted[1]) out[1] = multiply_no_nan(conj(cx.inputs[0], cx.where), g[0], cx.where);
  return out;
}

Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Tensor by_a = t[0].defined() ? scaled(t[0], cx.inputs[1], cx.where) : Tensor();
  const Tensor by_b = t[1].defined() ? multiply_no_nan(cx.inputs[0], t[1], cx.where) : Tensor();
  if (!by_a.defined() || !by_b.defined()) return {by_a.defined() ? by_a : by_b};
  return {add(by_a, by_b, cx.where)};
}

}  // namespace

constinit const OpDef kMultiplyNoNan{
    .name = "multiply_no_nan",
    .doc =
        "Elementwise `a * b`, and 0 wherever `b` is 0, even if `a` is infinite or NaN. "
        "Derivatives are multiplied with it, `b` being the cotangent or the tangent: a path that "
        "carries nothing gives nothing, however steep it is.",
    .inputs = {"a: inexact", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::bilinear<transpose, jvp>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"tf", "math.multiply_no_nan"}},
};

Tensor multiply_no_nan(const Tensor& a, const Tensor& b, Where where) {
  return apply(kMultiplyNoNan, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
