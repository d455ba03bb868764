// erfc: the complement of the error function.
#include <numbers>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return erfc(x); }

}  // namespace

constinit const OpDef kErfc{
    .name = "erfc",
    .doc = "Elementwise `1 - erf(x)`, with all of its digits also where `erf` is nearly 1.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      return decltype(x)(-2.0 * std::numbers::inv_sqrtpi) * exp(-(x * x));
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"scipy", "special.erfc"}, Alias{"torch", "erfc"},
                 Alias{"torch", "special.erfc"}, Alias{"jax", "lax.erfc"},
                 Alias{"tf", "math.erfc"}},
};

Tensor erfc(const Tensor& x, Where where) { return apply(kErfc, inputs(x), kNoAttrs, where); }

}  // namespace weft
