// silu: `x` times its sigmoid.
#include <limits>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

// At -inf the product would be NaN.
Expr meaning(Expr x) {
  return where(x == -std::numeric_limits<double>::infinity(), 0.0, x * sigmoid(x));
}

}  // namespace

constinit const OpDef kSilu{
    .name = "silu",
    .module = "nn",
    .doc = "`x * sigmoid(x)`, also called swish; 0 at -inf.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      const auto s = sigmoid(x), opposite = sigmoid(-x);
      return s + x * s * opposite;
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.silu"}, Alias{"jax", "nn.silu"},
                 Alias{"jax", "nn.swish"}, Alias{"tf", "nn.silu"}, Alias{"tf", "nn.swish"}},
};

Tensor nn::silu(const Tensor& x, Where where) { return apply(kSilu, inputs(x), kNoAttrs, where); }

}  // namespace weft
