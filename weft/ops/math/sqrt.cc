// sqrt: square root.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return sqrt(x); }

}  // namespace

constinit const OpDef kSqrt{
    .name = "sqrt",
    .doc =
        "Elementwise square root. NaN below 0, and -0 for -0; of complex numbers the root "
        "with a real part of at least 0, with its branch cut along the negative reals. The "
        "derivative is infinite at 0.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto, auto out) { return decltype(out)(0.5) / out; }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "sqrt"}, Alias{"torch", "sqrt"}, Alias{"jax", "numpy.sqrt"},
                 Alias{"tf", "sqrt"}},
};

Tensor sqrt(const Tensor& x, Where where) { return apply(kSqrt, inputs(x), kNoAttrs, where); }

}  // namespace weft
