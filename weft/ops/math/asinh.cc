// asinh: inverse hyperbolic sine.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return asinh(x); }

}  // namespace

constinit const OpDef kAsinh{
    .name = "asinh",
    .doc =
        "Elementwise inverse hyperbolic sine. Of complex numbers the principal value, with cuts "
        "along the imaginary axis outside of [-i, i].",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      return decltype(x)(1.0) / sqrt(x * x + decltype(x)(1.0));
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "arcsinh"}, Alias{"numpy", "asinh"}, Alias{"torch", "asinh"},
                 Alias{"torch", "arcsinh"}, Alias{"jax", "numpy.arcsinh"}, Alias{"tf", "asinh"}},
};

Tensor asinh(const Tensor& x, Where where) { return apply(kAsinh, inputs(x), kNoAttrs, where); }

}  // namespace weft
