// relu: max(x, 0).
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return maximum(x, 0); }

}  // namespace

constinit const OpDef kRelu{
    .name = "relu",
    .doc = "Elementwise `max(x, 0)`; NaN stays NaN. The derivative is 0 at 0.",
    .inputs = {"x: real"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto, auto out) {
              return where(out > decltype(out)(0.0), scalar_like(out, 1.0), scalar_like(out, 0.0));
            }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "relu"}, Alias{"jax", "nn.relu"}, Alias{"tf", "nn.relu"}},
};

Tensor relu(const Tensor& x, Where where) { return apply(kRelu, inputs(x), kNoAttrs, where); }

}  // namespace weft
