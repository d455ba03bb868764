// selu: the elu whose layers keep mean 0 and variance 1.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

// Klambauer et al., Self-Normalizing Neural Networks, 2017.
constexpr double kAlpha = 1.6732632423543772848170429916717,
                 kScale = 1.0507009873554804934193349852946;
constexpr double kSlope = kAlpha * kScale;

Expr meaning(Expr x) { return where(x > 0, x * kScale, expm1(x) * kSlope); }

}  // namespace

constinit const OpDef kSelu{
    .name = "selu",
    .module = "nn",
    .doc =
        "`scale * x` where `x` is positive and `scale * alpha * (exp(x) - 1)` elsewhere, with "
        "`alpha` = 1.6732632423543772 and `scale` = 1.0507009873554805: activations that keep mean "
        "0 and variance 1 from layer to layer. At 0 the derivative is that from below.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      const auto below = exp(x) * decltype(x)(kSlope);
      return where(x > decltype(x)(0.0), scalar_like(x, kScale), below);
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.selu"}, Alias{"jax", "nn.selu"},
                 Alias{"tf", "nn.selu"}},
};

Tensor nn::selu(const Tensor& x, Where where) { return apply(kSelu, inputs(x), kNoAttrs, where); }

}  // namespace weft
