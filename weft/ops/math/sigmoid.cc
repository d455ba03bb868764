// sigmoid: 1 / (1 + exp(-x)).
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return sigmoid(x); }

}  // namespace

constinit const OpDef kSigmoid{
    .name = "sigmoid",
    .doc = "Elementwise logistic function `1 / (1 + exp(-x))`, without overflow.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto, auto out) { return out * (decltype(out)(1.0) - out); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"scipy", "special.expit"}, Alias{"torch", "sigmoid"},
                 Alias{"jax", "nn.sigmoid"}, Alias{"tf", "sigmoid"}},
};

Tensor sigmoid(const Tensor& x, Where where) { return apply(kSigmoid, inputs(x), kNoAttrs, where); }

}  // namespace weft
