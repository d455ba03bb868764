// hardsigmoid: a sigmoid of three straight lines.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return minimum(maximum(x + 3.0, 0), 6) / 6.0; }

}  // namespace

constinit const OpDef kHardsigmoid{
    .name = "hardsigmoid",
    .module = "nn",
    .doc =
        "`min(max(x + 3, 0), 6) / 6`; NaN stays NaN. The derivative is 1/6 between -3 and 3 and 0 "
        "elsewhere, also at both.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
              const auto is_less = x < decltype(x)(3.0), inside = (x > decltype(x)(-3.0)) & is_less;
              return where(inside, scalar_like(x, 1.0 / 6), scalar_like(x, 0.0));
            }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.hardsigmoid"}, Alias{"jax", "nn.hard_sigmoid"}},
};

Tensor nn::hardsigmoid(const Tensor& x, Where where) {
  return apply(kHardsigmoid, inputs(x), kNoAttrs, where);
}

}  // namespace weft
