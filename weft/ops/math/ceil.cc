// ceil: the smallest integer that is not below x.
#include "weft/op/apply.h"
#include "weft/ops/math/zero_gradient.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return ceil(x); }

}  // namespace

constinit const OpDef kCeil{
    .name = "ceil",
    .doc =
        "The smallest integer that is not below `x` (elementwise), in the dtype of `x`. "
        "Integers, infinities and zeros stay as they are. The derivative is 0.",
    .inputs = {"x: real"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = zero_gradient(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "ceil"}, Alias{"torch", "ceil"}, Alias{"jax", "numpy.ceil"},
                 Alias{"tf", "math.ceil"}},
};

Tensor ceil(const Tensor& x, Where where) { return apply(kCeil, inputs(x), kNoAttrs, where); }

}  // namespace weft
