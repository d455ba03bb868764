// tanh: hyperbolic tangent.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return tanh(x); }

}  // namespace

constinit const OpDef kTanh{
    .name = "tanh",
    .doc = "Elementwise hyperbolic tangent.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto, auto out) { return decltype(out)(1.0) - out * out; }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "tanh"}, Alias{"torch", "tanh"}, Alias{"jax", "numpy.tanh"},
                 Alias{"tf", "tanh"}},
};

Tensor tanh(const Tensor& x, Where where) { return apply(kTanh, inputs(x), kNoAttrs, where); }

}  // namespace weft
