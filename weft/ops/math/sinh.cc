// sinh: hyperbolic sine.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return sinh(x); }

}  // namespace

constinit const OpDef kSinh{
    .name = "sinh",
    .doc = "Elementwise hyperbolic sine, `(exp(x) - exp(-x)) / 2`.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return cosh(x); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "sinh"}, Alias{"torch", "sinh"}, Alias{"jax", "numpy.sinh"},
                 Alias{"tf", "sinh"}},
};

Tensor sinh(const Tensor& x, Where where) { return apply(kSinh, inputs(x), kNoAttrs, where); }

}  // namespace weft
