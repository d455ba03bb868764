// relu6: `x` brought between 0 and 6.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return minimum(maximum(x, 0), 6); }

}  // namespace

constinit const OpDef kRelu6{
    .name = "relu6",
    .module = "nn",
    .doc =
        "Elementwise `min(max(x, 0), 6)`; NaN stays NaN. The derivative is 1 between 0 and 6 and 0 "
        "elsewhere, also at both.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto, auto out) {
              const auto is_less = out < decltype(out)(6.0);
              return where((out > decltype(out)(0.0)) & is_less, scalar_like(out, 1.0),
                           scalar_like(out, 0.0));
            }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.relu6"}, Alias{"jax", "nn.relu6"},
                 Alias{"tf", "nn.relu6"}},
};

Tensor nn::relu6(const Tensor& x, Where where) { return apply(kRelu6, inputs(x), kNoAttrs, where); }

}  // namespace weft
