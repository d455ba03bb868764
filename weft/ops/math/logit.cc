// logit: the inverse of the sigmoid.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) {
  const Expr rest = scalar_like(x, 1.0) - x;
  // Around 1/2, where the result vanishes, 2x - 1 is exact.
  const Expr near = log1p((x + x - 1.0) / rest);
  return where(abs(x - 0.5) < 0.25, near, log(x / rest));
}

}  // namespace

constinit const OpDef kLogit{
    .name = "logit",
    .doc =
        "`log(x / (1 - x))`, the inverse of the sigmoid: -inf at 0, inf at 1, NaN outside. To keep "
        "clear of the ends, clip first.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      return decltype(x)(1.0) / (x * (decltype(x)(1.0) - x));
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"scipy", "special.logit"},
                 Alias{"torch", "logit: its eps clips x; here use clip first"},
                 Alias{"torch", "special.logit: its eps clips x; here use clip first"},
                 Alias{"jax", "scipy.special.logit"}},
};

Tensor logit(const Tensor& x, Where where) { return apply(kLogit, inputs(x), kNoAttrs, where); }

}  // namespace weft
