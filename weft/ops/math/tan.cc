// tan: tangent.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return tan(x); }

}  // namespace

constinit const OpDef kTan{
    .name = "tan",
    .doc = "Elementwise tangent of an angle in radians; NaN for infinities.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto, auto out) { return out * out + decltype(out)(1.0); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "tan"}, Alias{"torch", "tan"}, Alias{"jax", "numpy.tan"},
                 Alias{"tf", "tan"}},
};

Tensor tan(const Tensor& x, Where where) { return apply(kTan, inputs(x), kNoAttrs, where); }

}  // namespace weft
