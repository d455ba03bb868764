// abs: absolute value.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Types real_types(const NoAttrs&, const InferCtx&, TypeSpan in) {
  return {{real_of(in[0].dtype), in[0].shape}};
}

// The direction of x is the gradient of its modulus, for real and complex x alike.
Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  return {multiply_no_nan(sign(cx.inputs[0], cx.where), g[0], cx.where)};
}
Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  return {real(multiply_no_nan(conj(sign(cx.inputs[0], cx.where)), t[0], cx.where))};
}

Expr meaning(Expr x) { return abs(x); }

}  // namespace

constinit const OpDef kAbs{
    .name = "abs",
    .doc =
        "Elementwise absolute value; the modulus of a complex number, without overflow, as a "
        "real number. The smallest integer wraps around to itself. The derivative is 0 at 0.",
    .inputs = {"x: numeric"},
    .outputs = {"out: real"},
    .infer = rule<real_types>(),
    .grad = derive::rules<vjp, jvp>().reading(1, false),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "abs"}, Alias{"torch", "abs"}, Alias{"jax", "numpy.abs"},
                 Alias{"tf", "abs"}, Alias{"numpy", "absolute"}},
};

Tensor abs(const Tensor& x, Where where) { return apply(kAbs, inputs(x), kNoAttrs, where); }

}  // namespace weft
