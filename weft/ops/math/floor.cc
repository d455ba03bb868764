// floor: the largest integer that is not above x.
#include "weft/op/apply.h"
#include "weft/ops/math/zero_gradient.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return floor(x); }

}  // namespace

constinit const OpDef kFloor{
    .name = "floor",
    .doc =
        "The largest integer that is not above `x` (elementwise), in the dtype of `x`. "
        "Integers, infinities and zeros stay as they are. The derivative is 0.",
    .inputs = {"x: real"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = zero_gradient(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "floor"}, Alias{"torch", "floor"}, Alias{"jax", "numpy.floor"},
                 Alias{"tf", "floor"}},
};

Tensor floor(const Tensor& x, Where where) { return apply(kFloor, inputs(x), kNoAttrs, where); }

}  // namespace weft
