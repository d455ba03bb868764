// square: x * x.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return square(x); }

}  // namespace

constinit const OpDef kSquare{
    .name = "square",
    .doc = "Elementwise `x * x`. Integers wrap around; bools are squared as int64.",
    .inputs = {"x: numeric"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return decltype(x)(2.0) * x; }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "square"}, Alias{"torch", "square"}, Alias{"jax", "numpy.square"},
                 Alias{"tf", "square"}},
};

Tensor square(const Tensor& x, Where where) { return apply(kSquare, inputs(x), kNoAttrs, where); }

}  // namespace weft
