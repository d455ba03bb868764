// digamma: the logarithmic derivative of the gamma function.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// The same map in both directions.
Tensors derivative(const NoAttrs&, const GradCtx& cx, TensorSpan change) {
  return {multiply_no_nan(polygamma(1, cx.inputs[0], cx.where), change[0], cx.where)};
}

Expr meaning(Expr x) { return digamma(x); }

}  // namespace

constinit const OpDef kDigamma{
    .name = "digamma",
    .doc =
        "Elementwise derivative of `lgamma`: -inf at +0, inf at -0, NaN at the negative integers. "
        "Its own derivatives are `polygamma`.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::rules<derivative, derivative>().reading(1, false),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"scipy", "special.digamma"}, Alias{"scipy", "special.psi"},
                 Alias{"torch", "digamma"}, Alias{"torch", "special.psi"},
                 Alias{"jax", "lax.digamma"}, Alias{"tf", "math.digamma"}},
};

Tensor digamma(const Tensor& x, Where where) { return apply(kDigamma, inputs(x), kNoAttrs, where); }

}  // namespace weft
