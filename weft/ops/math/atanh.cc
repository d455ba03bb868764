// atanh: inverse hyperbolic tangent.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return atanh(x); }

}  // namespace

constinit const OpDef kAtanh{
    .name = "atanh",
    .doc =
        "Elementwise inverse hyperbolic tangent; infinite at -1 and 1, NaN outside. Of complex "
        "numbers the principal value, with cuts along the real axis outside of [-1, 1].",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      const auto above = decltype(x)(1.0) + x;
      return decltype(x)(1.0) / ((decltype(x)(1.0) - x) * above);
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "arctanh"}, Alias{"numpy", "atanh"}, Alias{"torch", "atanh"},
                 Alias{"torch", "arctanh"}, Alias{"jax", "numpy.arctanh"}, Alias{"tf", "atanh"}},
};

Tensor atanh(const Tensor& x, Where where) { return apply(kAtanh, inputs(x), kNoAttrs, where); }

}  // namespace weft
