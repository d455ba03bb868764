// cos: cosine.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return cos(x); }

}  // namespace

constinit const OpDef kCos{
    .name = "cos",
    .doc = "Elementwise cosine of an angle in radians; NaN for infinities.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return -sin(x); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "cos"}, Alias{"torch", "cos"}, Alias{"jax", "numpy.cos"},
                 Alias{"tf", "cos"}},
};

Tensor cos(const Tensor& x, Where where) { return apply(kCos, inputs(x), kNoAttrs, where); }

}  // namespace weft
