// exp2: 2 to the power x.
#include <numbers>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return exp2(x); }

}  // namespace

constinit const OpDef kExp2{
    .name = "exp2",
    .doc = "Elementwise `2**x`, of complex numbers too.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad =
        derive::partials<[](auto, auto out) { return out * decltype(out)(std::numbers::ln2); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "exp2"}, Alias{"torch", "exp2"}, Alias{"jax", "numpy.exp2"}},
};

Tensor exp2(const Tensor& x, Where where) { return apply(kExp2, inputs(x), kNoAttrs, where); }

}  // namespace weft
