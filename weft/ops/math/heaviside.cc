// heaviside: the step function.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x, Expr value) {
  return where(x < 0, 0.0, where(x > 0, 1.0, where(x == 0, value, x)));
}

}  // namespace

constinit const OpDef kHeaviside{
    .name = "heaviside",
    .doc =
        "0 where `x` is negative, 1 where it is positive, `value` where it is 0, and NaN for NaN. "
        "The derivative with respect to `x` is 0; `value` gets the gradient where `x` is 0.",
    .inputs = {"x: floating", "value: like x"},
    .outputs = {"out: like x"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto x, auto, auto) { return decltype(x)(0.0); },
                             [](auto x, auto, auto) {
                               return where(x == decltype(x)(0.0), scalar_like(x, 1.0),
                                            scalar_like(x, 0.0));
                             }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "heaviside"}, Alias{"torch", "heaviside"},
                 Alias{"jax", "numpy.heaviside"}},
};

Tensor heaviside(const Tensor& x, const Tensor& value, Where where) {
  return apply(kHeaviside, inputs(x, value), kNoAttrs, where);
}

}  // namespace weft
