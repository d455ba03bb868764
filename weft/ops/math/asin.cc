// asin: inverse sine.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return asin(x); }

}  // namespace

constinit const OpDef kAsin{
    .name = "asin",
    .doc =
        "Elementwise inverse sine, between -pi/2 and pi/2; NaN outside of [-1, 1]. Of complex "
        "numbers the principal value, with cuts along the real axis outside of [-1, 1]. The "
        "derivative is infinite at -1 and 1.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      const auto above = decltype(x)(1.0) + x;
      return decltype(x)(1.0) / sqrt((decltype(x)(1.0) - x) * above);
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "arcsin"}, Alias{"numpy", "asin"}, Alias{"torch", "asin"},
                 Alias{"torch", "arcsin"}, Alias{"jax", "numpy.arcsin"}, Alias{"tf", "asin"}},
};

Tensor asin(const Tensor& x, Where where) { return apply(kAsin, inputs(x), kNoAttrs, where); }

}  // namespace weft
