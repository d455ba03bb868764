// xlog1py: a log(1 + b), and 0 where a is 0.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return where((a == 0) & !isnan(b), 0.0, a * log1p(b)); }

}  // namespace

constinit const OpDef kXlog1py{
    .name = "xlog1py",
    .doc =
        "`a * log(1 + b)`, and 0 where `a` is 0, unless `b` is NaN. Where `a` is 0, the derivative "
        "with respect to `b` is 0, and that with respect to `a` is 0 too unless `b` is above -1.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto b, auto) {
      const auto out = log1p(b), is_out = b <= decltype(a)(-1.0);
      return where((a == decltype(a)(0.0)) & is_out, scalar_like(a, 0.0), out);
    },
                             [](auto a, auto b, auto) {
                               const auto out = a / (b + decltype(b)(1.0));
                               return where(a == decltype(a)(0.0), scalar_like(a, 0.0), out);
                             }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"scipy", "special.xlog1py"}, Alias{"torch", "special.xlog1py"},
                 Alias{"jax", "scipy.special.xlog1py"}, Alias{"tf", "math.xlog1py"}},
};

Tensor xlog1py(const Tensor& a, const Tensor& b, Where where) {
  return apply(kXlog1py, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
