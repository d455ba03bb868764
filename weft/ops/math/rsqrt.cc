// rsqrt: 1 / sqrt(x).
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return rsqrt(x); }

}  // namespace

constinit const OpDef kRsqrt{
    .name = "rsqrt",
    .doc =
        "Elementwise `1 / sqrt(x)`, with both roundings. Infinite at 0 (with its sign), NaN "
        "below.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto out) { return decltype(x)(-0.5) * out / x; }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "rsqrt"}, Alias{"jax", "lax.rsqrt"}, Alias{"tf", "math.rsqrt"}},
};

Tensor rsqrt(const Tensor& x, Where where) { return apply(kRsqrt, inputs(x), kNoAttrs, where); }

}  // namespace weft
