// lgamma: the logarithm of the gamma function.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return lgamma(x); }

}  // namespace

constinit const OpDef kLgamma{
    .name = "lgamma",
    .doc =
        "Elementwise logarithm of the absolute value of the gamma function; inf at 0 and the "
        "negative integers. The derivative is `digamma`.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return digamma(x); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"scipy", "special.gammaln"}, Alias{"torch", "lgamma"},
                 Alias{"torch", "special.gammaln"}, Alias{"jax", "lax.lgamma"},
                 Alias{"jax", "scipy.special.gammaln"}, Alias{"tf", "math.lgamma"}},
};

Tensor lgamma(const Tensor& x, Where where) { return apply(kLgamma, inputs(x), kNoAttrs, where); }

}  // namespace weft
