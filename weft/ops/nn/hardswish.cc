// hardswish: silu of straight lines and a parabola.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return where(x <= -3, 0.0, where(x >= 3, x, x * (x + 3.0) / 6.0)); }

}  // namespace

constinit const OpDef kHardswish{
    .name = "hardswish",
    .module = "nn",
    .doc = "`x * min(max(x + 3, 0), 6) / 6`, and 0 at -inf. The derivative is 0 at -3 and 1 at 3.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      const auto middle = (x * decltype(x)(2.0) + decltype(x)(3.0)) / decltype(x)(6.0);
      const auto above = where(x >= decltype(x)(3.0), scalar_like(x, 1.0), middle);
      return where(x <= decltype(x)(-3.0), scalar_like(x, 0.0), above);
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.hardswish"}, Alias{"jax", "nn.hard_swish"},
                 Alias{"jax", "nn.hard_silu"}},
};

Tensor nn::hardswish(const Tensor& x, Where where) {
  return apply(kHardswish, inputs(x), kNoAttrs, where);
}

}  // namespace weft
