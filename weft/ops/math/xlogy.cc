// xlogy: a log(b), and 0 where a is 0.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return where((a == 0) & !isnan(b), 0.0, a * log(b)); }

}  // namespace

constinit const OpDef kXlogy{
    .name = "xlogy",
    .doc =
        "`a * log(b)`, and 0 where `a` is 0, unless `b` is NaN. Where `a` is 0, the derivative "
        "with respect to `b` is 0, and that with respect to `a` is 0 too unless `b` is positive.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto b, auto) {
      const auto out = log(b), is_out = b <= decltype(a)(0.0);
      return where((a == decltype(a)(0.0)) & is_out, scalar_like(a, 0.0), out);
    },
                             [](auto a, auto b, auto) {
                               const auto out = a / b;
                               return where(a == decltype(a)(0.0), scalar_like(a, 0.0), out);
                             }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"scipy", "special.xlogy"}, Alias{"torch", "xlogy"},
                 Alias{"jax", "scipy.special.xlogy"}, Alias{"tf", "math.xlogy"}},
};

Tensor xlogy(const Tensor& a, const Tensor& b, Where where) {
  return apply(kXlogy, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
