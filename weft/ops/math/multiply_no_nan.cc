// multiply_no_nan: a * b, and 0 wherever b is 0. Chain rules multiply with it.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) {
  const Expr product = a * b;
  return where(b == Expr::constant(b.dtype(), 0), Expr::constant(product.dtype(), 0), product);
}

// Linear in each input. A cotangent of 0 gives 0 to both, whatever the other factor is.
Tensors transpose(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  Tensors out(2);
  if (cx.wanted[0]) out[0] = multiply_no_nan(g[0], conj(cx.inputs[1], cx.where), cx.where);
  if (cx.wanted[1]) out[1] = multiply_no_nan(conj(cx.inputs[0], cx.where), g[0], cx.where);
  return out;
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
    .grad = derive::bilinear<transpose>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"tf", "math.multiply_no_nan"}},
};

Tensor multiply_no_nan(const Tensor& a, const Tensor& b, Where where) {
  return apply(kMultiplyNoNan, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
