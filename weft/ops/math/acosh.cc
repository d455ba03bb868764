// acosh: inverse hyperbolic cosine.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return acosh(x); }

}  // namespace

constinit const OpDef kAcosh{
    .name = "acosh",
    .doc =
        "Elementwise inverse hyperbolic cosine, not negative; NaN below 1. Of complex numbers the "
        "principal value, with a cut along the real axis below 1. The derivative is infinite at 1.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      const auto above = sqrt(x + decltype(x)(1.0));
      return decltype(x)(1.0) / (sqrt(x - decltype(x)(1.0)) * above);
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "arccosh"}, Alias{"numpy", "acosh"}, Alias{"torch", "acosh"},
                 Alias{"torch", "arccosh"}, Alias{"jax", "numpy.arccosh"}, Alias{"tf", "acosh"}},
};

Tensor acosh(const Tensor& x, Where where) { return apply(kAcosh, inputs(x), kNoAttrs, where); }

}  // namespace weft
