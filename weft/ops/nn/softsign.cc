// softsign: x / (1 + |x|).
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Expr meaning(Expr x) {
  const Expr ratio = x / (abs(x) + 1.0);
  return where(isinf(x), where(x > 0, scalar_like(x, 1.0), scalar_like(x, -1.0)), ratio);
}

}  // namespace

constinit const OpDef kSoftsign{
    .name = "softsign",
    .module = "nn",
    .doc = "`x / (1 + abs(x))`: between -1 and 1, which are its values at infinity.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      const auto ratio = decltype(x)(1.0) / (abs(x) + decltype(x)(1.0));
      return ratio * ratio;
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.softsign"}, Alias{"jax", "nn.soft_sign"},
                 Alias{"tf", "nn.softsign"}},
};

Tensor nn::softsign(const Tensor& x, Where where) {
  return apply(kSoftsign, inputs(x), kNoAttrs, where);
}

}  // namespace weft
