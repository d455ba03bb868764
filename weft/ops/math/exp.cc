// exp: elementwise exponential.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return exp(x); }

}  // namespace

constinit const OpDef kExp{
    .name = "exp",
    .doc = "Elementwise exponential.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto, auto out) { return out; }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "exp"}, Alias{"torch", "exp"}, Alias{"jax", "numpy.exp"},
                 Alias{"tf", "exp"}},
};

Tensor exp(const Tensor& x, Where where) { return apply(kExp, inputs(x), kNoAttrs, where); }

}  // namespace weft
