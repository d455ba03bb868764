// celu: `x`, with an exponential below 0 that leaves it with slope 1.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Expr meaning(Expr x, Expr alpha) { return where(x > 0, x, alpha * expm1(x / alpha)); }

}  // namespace

constinit const OpDef kCelu{
    .name = "celu",
    .module = "nn",
    .doc =
        "`x` where it is positive and `alpha * (exp(x / alpha) - 1)` elsewhere, with an `alpha` of "
        "1 if none is given: continuously differentiable, with slope 1 at 0.",
    .inputs = {"x: floating", "alpha?=1: like x"},
    .outputs = {"out: like x"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto x, auto alpha, auto) {
      const auto below = exp(x / alpha);
      return where(x > decltype(x)(0.0), scalar_like(x, 1.0), below);
    },
                             [](auto x, auto alpha, auto) {
                               const auto ratio = x / alpha;
                               const auto rest = ratio * exp(ratio), below = expm1(ratio) - rest;
                               return where(x > decltype(x)(0.0), scalar_like(x, 0.0), below);
                             }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.celu"}, Alias{"jax", "nn.celu"}},
};

Tensor nn::celu(const Tensor& x, const Tensor& alpha, Where where) {
  return apply(kCelu, inputs(x, alpha), kNoAttrs, where);
}

}  // namespace weft
