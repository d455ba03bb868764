// sin: sine.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return sin(x); }

}  // namespace

constinit const OpDef kSin{
    .name = "sin",
    .doc = "Elementwise sine of an angle in radians; NaN for infinities.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return cos(x); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "sin"}, Alias{"torch", "sin"}, Alias{"jax", "numpy.sin"},
                 Alias{"tf", "sin"}},
};

Tensor sin(const Tensor& x, Where where) { return apply(kSin, inputs(x), kNoAttrs, where); }

}  // namespace weft
