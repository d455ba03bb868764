// cosh: hyperbolic cosine.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return cosh(x); }

}  // namespace

constinit const OpDef kCosh{
    .name = "cosh",
    .doc = "Elementwise hyperbolic cosine, `(exp(x) + exp(-x)) / 2`.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return sinh(x); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "cosh"}, Alias{"torch", "cosh"}, Alias{"jax", "numpy.cosh"},
                 Alias{"tf", "cosh"}},
};

Tensor cosh(const Tensor& x, Where where) { return apply(kCosh, inputs(x), kNoAttrs, where); }

}  // namespace weft
