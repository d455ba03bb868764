// erfinv: the inverse of the error function.
#include <numbers>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return erfinv(x); }

}  // namespace

constinit const OpDef kErfinv{
    .name = "erfinv",
    .doc = "Elementwise inverse of `erf`: infinite at -1 and 1, NaN outside.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto, auto out) {
      return decltype(out)(0.5 / std::numbers::inv_sqrtpi) * exp(out * out);
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"scipy", "special.erfinv"}, Alias{"torch", "erfinv"},
                 Alias{"torch", "special.erfinv"}, Alias{"jax", "lax.erf_inv"},
                 Alias{"tf", "math.erfinv"}},
};

Tensor erfinv(const Tensor& x, Where where) { return apply(kErfinv, inputs(x), kNoAttrs, where); }

}  // namespace weft
