// erf: the error function.
#include <numbers>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return erf(x); }

}  // namespace

constinit const OpDef kErf{
    .name = "erf",
    .doc =
        "Elementwise error function: `2 / sqrt(pi)` times the integral of `exp(-t * t)` from "
        "0 to `x`.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      return decltype(x)(2.0 * std::numbers::inv_sqrtpi) * exp(-(x * x));
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"scipy", "special.erf"}, Alias{"torch", "erf"}, Alias{"jax", "lax.erf"},
                 Alias{"tf", "math.erf"}},
};

Tensor erf(const Tensor& x, Where where) { return apply(kErf, inputs(x), kNoAttrs, where); }

}  // namespace weft
