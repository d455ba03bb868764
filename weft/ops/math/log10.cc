// log10: logarithm to base 10.
#include <numbers>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return log10(x); }

}  // namespace

constinit const OpDef kLog10{
    .name = "log10",
    .doc =
        "Elementwise logarithm to base 10; -inf at 0, NaN for negative numbers. Of complex numbers "
        "the principal value, as `log`.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return decltype(x)(std::numbers::log10e) / x; }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "log10"}, Alias{"torch", "log10"}, Alias{"jax", "numpy.log10"}},
};

Tensor log10(const Tensor& x, Where where) { return apply(kLog10, inputs(x), kNoAttrs, where); }

}  // namespace weft
