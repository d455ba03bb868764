// trunc: x without its fraction.
#include "weft/op/apply.h"
#include "weft/ops/math/zero_gradient.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return trunc(x); }

}  // namespace

constinit const OpDef kTrunc{
    .name = "trunc",
    .doc =
        "Elementwise `x` without its fraction: rounded towards zero, in the dtype of `x`. "
        "Integers, infinities and zeros stay as they are. The derivative is 0.",
    .inputs = {"x: real"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = zero_gradient(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "trunc"}, Alias{"torch", "trunc"}, Alias{"jax", "numpy.trunc"}},
};

Tensor trunc(const Tensor& x, Where where) { return apply(kTrunc, inputs(x), kNoAttrs, where); }

}  // namespace weft
