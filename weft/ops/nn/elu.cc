// elu: `x`, with an exponential below 0.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Expr meaning(Expr x, Expr alpha) { return where(x > 0, x, alpha * expm1(x)); }

}  // namespace

constinit const OpDef kElu{
    .name = "elu",
    .module = "nn",
    .doc =
        "`x` where it is positive and `alpha * (exp(x) - 1)` elsewhere, with an `alpha` of 1 if "
        "none is given. At 0 the derivative is `alpha`.",
    .inputs = {"x: floating", "alpha?=1: like x"},
    .outputs = {"out: like x"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto x, auto alpha, auto) {
      const auto below = alpha * exp(x);
      return where(x > decltype(x)(0.0), scalar_like(x, 1.0), below);
    },
                             [](auto x, auto, auto) {
                               const auto below = expm1(x);
                               return where(x > decltype(x)(0.0), scalar_like(x, 0.0), below);
                             }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.elu"}, Alias{"jax", "nn.elu"},
                 Alias{"tf", "nn.elu"}},
};

Tensor nn::elu(const Tensor& x, const Tensor& alpha, Where where) {
  return apply(kElu, inputs(x, alpha), kNoAttrs, where);
}

}  // namespace weft
