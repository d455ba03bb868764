// log2: logarithm to base 2.
#include <numbers>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return log2(x); }

}  // namespace

constinit const OpDef kLog2{
    .name = "log2",
    .doc =
        "Elementwise logarithm to base 2; -inf at 0, NaN for negative numbers. Of complex numbers "
        "the principal value, as `log`.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return decltype(x)(std::numbers::log2e) / x; }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "log2"}, Alias{"torch", "log2"}, Alias{"jax", "numpy.log2"}},
};

Tensor log2(const Tensor& x, Where where) { return apply(kLog2, inputs(x), kNoAttrs, where); }

}  // namespace weft
