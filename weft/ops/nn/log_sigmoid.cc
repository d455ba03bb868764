// log_sigmoid: the logarithm of the sigmoid.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return minimum(x, 0) - log1p(exp(-abs(x))); }

}  // namespace

constinit const OpDef kLogSigmoid{
    .name = "log_sigmoid",
    .module = "nn",
    .doc = "`log(sigmoid(x))`, that is `-softplus(-x)`, computed without overflow.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return sigmoid(-x); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.logsigmoid"}, Alias{"jax", "nn.log_sigmoid"},
                 Alias{"tf", "math.log_sigmoid"}, Alias{"scipy", "special.log_expit"}},
};

Tensor nn::log_sigmoid(const Tensor& x, Where where) {
  return apply(kLogSigmoid, inputs(x), kNoAttrs, where);
}

}  // namespace weft
