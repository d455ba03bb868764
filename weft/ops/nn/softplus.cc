// softplus: log(1 + exp(x)), a smooth relu.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Expr meaning(Expr x, Expr beta) {
  const Expr y = x * beta;
  return (maximum(y, 0) + log1p(exp(-abs(y)))) / beta;
}

}  // namespace

constinit const OpDef kSoftplus{
    .name = "softplus",
    .module = "nn",
    .doc =
        "`log(1 + exp(beta * x)) / beta`, computed without overflow, with a `beta` of 1 if none is "
        "given. No threshold is needed: the result is exact to rounding for every `x`.",
    .inputs = {"x: floating", "beta?=1: like x"},
    .outputs = {"out: like x"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto x, auto beta, auto) { return sigmoid(x * beta); },
                             [](auto x, auto beta, auto out) {
                               return (x * sigmoid(x * beta) - out) / beta;
                             }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch",
                       "nn.functional.softplus: beyond its threshold it is x, ours is exact"},
                 Alias{"jax", "nn.softplus"}, Alias{"tf", "nn.softplus"},
                 Alias{"tf", "math.softplus"}},
};

Tensor nn::softplus(const Tensor& x, const Tensor& beta, Where where) {
  return apply(kSoftplus, inputs(x, beta), kNoAttrs, where);
}

}  // namespace weft
