// leaky_relu: `x`, with a smaller slope below 0.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Expr meaning(Expr x, Expr negative_slope) { return where(x > 0, x, negative_slope * x); }

}  // namespace

constinit const OpDef kLeakyRelu{
    .name = "leaky_relu",
    .module = "nn",
    .doc =
        "`x` where it is positive and `negative_slope * x` elsewhere, with a slope of 0.01 if none "
        "is given. At 0 the derivative is the slope. The slope may be a tensor, and has a "
        "gradient.",
    .inputs = {"x: floating", "negative_slope?=0.01: like x"},
    .outputs = {"out: like x"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto x, auto negative_slope, auto) {
      return where(x > decltype(x)(0.0), scalar_like(x, 1.0), negative_slope);
    },
                             [](auto x, auto, auto) {
                               return where(x > decltype(x)(0.0), scalar_like(x, 0.0), x);
                             }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.leaky_relu"}, Alias{"jax", "nn.leaky_relu"},
                 Alias{"tf", "nn.leaky_relu"}},
};

Tensor nn::leaky_relu(const Tensor& x, const Tensor& negative_slope, Where where) {
  return apply(kLeakyRelu, inputs(x, negative_slope), kNoAttrs, where);
}

}  // namespace weft
